import Contracts
import Vocabulary

/// The errors of mfa-totp that carry data. The others are thrown by their code: `ServiceError(.invalidCode)`.
extension ServiceError {
    /// Too many wrong codes.
    /// - Parameter time: the end of the lock; nil: an administrator ends it.
    static func locked(until time: Moment?) -> ServiceError { .init(.quotaExceeded, retry: time.map(Retry.at)) }
}

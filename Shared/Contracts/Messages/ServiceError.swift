package import Vocabulary

/// Why a service refuses a request. Rules throw it, and `BusWorker` sends it to the caller as a `WireError`: a refusal
/// is named once, by its code.
package struct ServiceError: Error, Hashable, Sendable {
    /// When the same request can succeed.
    package enum Retry: Hashable, Sendable {
        case at(Moment)
        case afterSeconds(Int)
    }

    package var code: WireError.Code
    /// For operators and for the detail text of some responses; never a secret.
    package var message: String?
    package var retry: Retry?
    /// The limit that was met: see `limited(by:until:)`.
    package var limit: LimitName?
    /// The unmet requirements of a refused password; empty for other errors.
    package var unmetPasswordRequirements: [UnmetPasswordRequirement]

    package init(
        _ code: WireError.Code, _ message: String? = nil, retry: Retry? = nil,
        unmetPasswordRequirements: [UnmetPasswordRequirement] = []
    ) {
        self.code = code
        self.message = message
        self.retry = retry
        self.unmetPasswordRequirements = unmetPasswordRequirements
    }

    /// A bounded queue of the service is full.
    package static let overloaded = ServiceError(.overloaded, retry: .afterSeconds(1))
}

extension WireError {
    /// - Parameter now: the time from which `retryAfterSeconds` is counted, rounded up.
    package init(_ error: ServiceError, now: Moment) {
        let retryAfterSeconds: Int? =
            switch error.retry {
            case .at(let time): time.secondsToWait(from: now)
            case .afterSeconds(let seconds): seconds
            case nil: nil
            }
        self.init(
            error.code, error.message, retryAfterSeconds: retryAfterSeconds, limit: error.limit,
            unmetPasswordRequirements: error.unmetPasswordRequirements.isEmpty ? nil : error.unmetPasswordRequirements)
    }
}

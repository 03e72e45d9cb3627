import Crypto
import Vocabulary

/// The six digits that the reader of an e-mail types, in place of a link with 256 bits (security rules SM1 to SM5).
struct EmailCode: Equatable, Sendable {
    /// The maximum of codes that are evaluated.
    static let maximumFailures = 5

    /// Keyed: a million codes are quickly tried.
    var digest: [UInt8]
    var failures = 0

    /// For an address that gets no e-mail. No code has this digest.
    static let decoy = EmailCode(digest: Array(repeating: 0, count: 32))

    enum Decision: Equatable, Sendable {
        case right, wrong
        /// Too many wrong codes, so this one is not evaluated.
        case exhausted
    }

    /// Evaluates a code and counts it. Save the count whatever the result is.
    mutating func evaluate(_ digest: [UInt8]) -> Decision {
        guard failures < Self.maximumFailures else { return .exhausted }
        // Counted before the comparison (security rule RL4).
        failures += 1
        return constantTimeEquals(self.digest, digest) ? .right : .wrong
    }
}

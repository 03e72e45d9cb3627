import Crypto
import PhoneNumbers
import Vocabulary

/// The state of a code that was sent to a number.
///
/// The session is open until the right code arrives. Then it is verified and bound to the request that brought the
/// code, which may be repeated while identity does not reply. Completed sessions are deleted.
struct VerificationSession: Equatable, Sendable {
    /// The lifetime of a code (security rule SM2).
    static let lifetime = Duration.seconds(5 * 60)
    /// Maximum wrong codes.
    static let maximumFailures = 5
    /// The lease of a verified session: longer than the timeout of the call to identity.
    static let lease = Duration.seconds(10)

    /// Recorded when the right code arrives.
    struct Proof: Equatable, Sendable {
        /// The digest of the request that brought the code.
        var request: [UInt8]
        /// The request has the exclusive lease until this time.
        var leasedUntil: Moment
    }

    /// The digest of `sessionInfo`.
    let id: [UInt8]
    let realm: Realm
    let purpose: SendAttempt.Purpose
    let number: ParsedPhoneNumber
    /// The account of the existing or new factor.
    let accountID: AccountID?
    /// The existing factor, or the id of the new one.
    let factorID: FactorID?
    /// The project has a fixed code for the number, and nothing was sent.
    let isTest: Bool
    let codeDigest: [UInt8]
    let createdAt: Moment
    let expiresAt: Moment
    private(set) var failures = 0
    private(set) var proof: Proof?
}

extension VerificationSession {
    /// The purpose and subject that a session is bound to (security rule SM3).
    struct Binding: Equatable, Sendable {
        var realm: Realm
        var purpose: SendAttempt.Purpose
        var accountID: AccountID?
    }

    /// One request with a code.
    struct Attempt: Equatable, Sendable {
        var sessionID: [UInt8]
        var codeDigest: [UInt8]
        /// The digest of the request without the client context.
        var request: [UInt8]
    }

    enum Decision: Equatable, Sendable {
        /// The code is right, and this attempt has the lease.
        case verified
        /// The request that verified the session is repeated, because it got no reply.
        case resumed
        case invalidCode
        /// Expired, or too many wrong codes.
        case expired
        /// Another request has redeemed the code.
        case alreadyUsed
    }

    func isBound(to claim: Binding) -> Bool {
        claim == Binding(realm: realm, purpose: purpose, accountID: accountID)
    }

    /// Whether this very request brought the right code before.
    func isVerified(by request: [UInt8]) -> Bool {
        proof.map { constantTimeEquals($0.request, request) } ?? false
    }

    /// Whether the code can still be verified.
    func isOpen(at now: Moment) -> Bool {
        proof == nil && now < expiresAt && failures < Self.maximumFailures
    }

    /// Verifies a code and records the attempt: save the session whatever the decision is.
    mutating func verify(_ attempt: Attempt, at now: Moment) -> Decision {
        if let proof {
            guard isVerified(by: attempt.request), now < expiresAt, proof.leasedUntil <= now else {
                return .alreadyUsed
            }
            self.proof?.leasedUntil = now + Self.lease
            return .resumed
        }
        guard isOpen(at: now) else { return .expired }
        // Counted before the comparison (security rule RL4).
        failures += 1
        guard constantTimeEquals(codeDigest, attempt.codeDigest) else { return .invalidCode }
        failures -= 1
        proof = Proof(request: attempt.request, leasedUntil: now + Self.lease)
        return .verified
    }

    /// The attempt that was counted when the code was sent.
    /// - Parameter ipAddress: of the client that requested the code. It is not stored.
    func sendAttempt(from ipAddress: String? = nil) -> SendAttempt {
        .init(realm: realm, number: number, purpose: purpose, accountID: accountID, ipAddress: ipAddress)
    }

    /// The scopes of wrong codes across all sessions: the number's and the account's. Each purpose has its own scopes,
    /// so a caller who only knows a number cannot lock it as a second factor.
    var failureScopes: [[String]] {
        let place = [realm.project.rawValue, realm.tenant?.rawValue ?? "", purpose.rawValue]
        return [place + ["number", number.number.rawValue]]
            + (accountID.map { [place + ["account", $0.rawValue]] } ?? [])
    }
}

extension VerificationSession {
    /// Restores a session from its row.
    init(
        id: [UInt8], realm: Realm, purpose: SendAttempt.Purpose, number: ParsedPhoneNumber, accountID: AccountID?,
        factorID: FactorID?, isTest: Bool, codeDigest: [UInt8], createdAt: Moment, failures: Int = 0,
        proof: Proof? = nil
    ) {
        self.id = id
        self.realm = realm
        self.purpose = purpose
        self.number = number
        self.accountID = accountID
        self.factorID = factorID
        self.isTest = isTest
        self.codeDigest = codeDigest
        self.createdAt = createdAt
        expiresAt = createdAt + Self.lifetime
        self.failures = failures
        self.proof = proof
    }
}

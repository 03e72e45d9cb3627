import Crypto
import PhoneNumbers
import Vocabulary

/// A code that was sent to a number, and what became of it.
///
/// It is open until the right code comes; then it is proved, and belongs to the request that proved it. That one may be
/// asked again while identity could not answer it. What is done is removed.
struct VerificationSession: Equatable, Sendable {
    /// How long a code is good (security rule SM2).
    static let lifetime = Duration.seconds(5 * 60)
    /// Codes that are looked at.
    static let maximumFailures = 5
    /// How long whoever proved it has identity to itself: longer than identity is waited for.
    static let lease = Duration.seconds(10)

    /// The right code has come.
    struct Proof: Equatable, Sendable {
        /// Of the request that brought it.
        var request: [UInt8]
        /// Until then that request is being worked on.
        var leasedUntil: Moment
    }

    /// The digest of what the client calls it.
    let id: [UInt8]
    let realm: Realm
    let purpose: SendAttempt.Purpose
    let number: ParsedPhoneNumber
    /// Whose factor it is, or is to become.
    let accountID: AccountID?
    /// The factor that was asked for, or the id that it is to get.
    let factorID: FactorID?
    /// The code is fixed by the project and nothing was sent.
    let isTest: Bool
    let codeDigest: [UInt8]
    let createdAt: Moment
    let expiresAt: Moment
    private(set) var failures = 0
    private(set) var proof: Proof?
}

extension VerificationSession {
    /// What a session is good for (security rule SM3).
    struct Binding: Equatable, Sendable {
        var realm: Realm
        var purpose: SendAttempt.Purpose
        var accountID: AccountID?
    }

    /// One request with a code.
    struct Attempt: Equatable, Sendable {
        var sessionID: [UInt8]
        var codeDigest: [UInt8]
        /// Of all that the request says, but for where it comes from.
        var request: [UInt8]
    }

    enum Decision: Equatable, Sendable {
        /// The code is right, and this attempt alone has it.
        case verified
        /// The request that has proved it comes again, since it was not answered.
        case resumed
        case invalidCode
        /// Too old, or guessed at too often.
        case expired
        /// Another request has the code.
        case alreadyUsed
    }

    func isBound(to claim: Binding) -> Bool {
        claim == Binding(realm: realm, purpose: purpose, accountID: accountID)
    }

    /// Whether this very request has brought the right code before.
    func isVerified(by request: [UInt8]) -> Bool {
        proof.map { constantTimeEquals($0.request, request) } ?? false
    }

    /// Whether the code can still be of use to whom it was sent.
    func isOpen(at now: Moment) -> Bool {
        proof == nil && now < expiresAt && failures < Self.maximumFailures
    }

    /// Judges a code, and remembers that it did: save the session whatever the verdict is.
    mutating func verify(_ attempt: Attempt, at now: Moment) -> Decision {
        if let proof {
            guard isVerified(by: attempt.request), now < expiresAt, proof.leasedUntil <= now else {
                return .alreadyUsed
            }
            self.proof?.leasedUntil = now + Self.lease
            return .resumed
        }
        guard isOpen(at: now) else { return .expired }
        // Counted first (security rule RL4).
        failures += 1
        guard constantTimeEquals(codeDigest, attempt.codeDigest) else { return .invalidCode }
        failures -= 1
        proof = Proof(request: attempt.request, leasedUntil: now + Self.lease)
        return .verified
    }

    /// What was counted when the code was sent.
    /// - Parameter ipAddress: of whom had it sent. It is not kept.
    func sendAttempt(from ipAddress: String? = nil) -> SendAttempt {
        .init(realm: realm, number: number, purpose: purpose, accountID: accountID, ipAddress: ipAddress)
    }

    /// Whose wrong guesses add up, over all sessions: the number's, and the account's. Each purpose has its own, so that
    /// nobody who only knows a number can lock the second factor it is.
    var failureScopes: [[String]] {
        let place = [realm.project.rawValue, realm.tenant?.rawValue ?? "", purpose.rawValue]
        return [place + ["number", number.number.rawValue]]
            + (accountID.map { [place + ["account", $0.rawValue]] } ?? [])
    }
}

extension VerificationSession {
    /// As it was stored.
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

import Contracts
import Crypto
import PhoneNumbers
import Vocabulary

/// The state of one SMS code.
///
/// A session is open until a request brings the right code. From then on it belongs to that request, which may come
/// again as long as identity did not reply. A completed session is deleted.
struct VerificationSession: Equatable, Sendable {
    /// The maximum of codes that are verified.
    static let maximumFailures = 5
    /// How long the request that brought the right code has identity to itself: longer than its timeout.
    static let lease = Duration.seconds(25)

    /// The request that brought the right code.
    struct Proof: Equatable, Sendable {
        /// The digest of the request.
        var request: [UInt8]
        /// Until then the request is in progress.
        var leasedUntil: Moment
    }

    /// The digest of `sessionInfo`.
    let id: [UInt8]
    let realm: Realm
    let purpose: CountedSend.Purpose
    let number: ParsedPhoneNumber
    /// The account that has the factor, or enrolls it.
    let accountID: AccountID?
    /// The factor, or the id that an enrolled one gets.
    let factorID: FactorID?
    /// The project fixed the code, and no SMS was sent.
    let isTest: Bool
    let codeDigest: [UInt8]
    let createdAt: Moment
    let expiresAt: Moment
    private(set) var failures = 0
    private(set) var proof: Proof?
}

extension VerificationSession {
    /// What a session is valid for (security rule SM3).
    struct Binding: Equatable, Sendable {
        var realm: Realm
        var purpose: CountedSend.Purpose
        var accountID: AccountID?
    }

    /// One request with a code.
    struct Attempt: Equatable, Sendable {
        var sessionID: [UInt8]
        var codeDigest: [UInt8]
        /// The digest of the request without its client.
        var request: [UInt8]
    }

    enum Decision: Equatable, Sendable {
        /// The code is right, and belongs to this request.
        case verified
        /// The request that brought the right code comes again.
        case resumed
        case invalidCode
        /// Too old, or too many wrong codes.
        case expired
        /// The code belongs to another request.
        case alreadyUsed
    }

    func isBound(to claim: Binding) -> Bool {
        claim == Binding(realm: realm, purpose: purpose, accountID: accountID)
    }

    /// Whether this request brought the right code before.
    func isVerified(by request: [UInt8]) -> Bool {
        proof.map { constantTimeEquals($0.request, request) } ?? false
    }

    /// Whether the code was created less than its lifetime ago.
    private func isFresh(at now: Moment) -> Bool {
        createdAt.beginsWindow(of: MFASMS.codeLifetime, containing: now)
    }

    /// Whether the code can still be verified.
    func isOpen(at now: Moment) -> Bool {
        proof == nil && isFresh(at: now) && failures < Self.maximumFailures
    }

    /// Verifies a code and counts the attempt. Save the session whatever the result is.
    mutating func verify(_ attempt: Attempt, at now: Moment) -> Decision {
        if let proof {
            guard isVerified(by: attempt.request), isFresh(at: now),
                !proof.leasedUntil.endsWindow(ofAtMost: Self.lease, at: now)
            else { return .alreadyUsed }
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

    /// The message that was counted when the code was sent.
    /// - Parameter ipAddress: of the client that requested it. It is not stored.
    func countedSend(from ipAddress: String? = nil) -> CountedSend {
        .init(realm: realm, number: number, purpose: purpose, accountID: accountID, ipAddress: ipAddress)
    }

    /// The scopes in which wrong codes are counted over all sessions: number and account. Each purpose counts apart, so
    /// that a client that only knows a number cannot lock it as a second factor.
    var failureScopes: [[String]] { Self.failureScopes(of: number.number, purpose, accountID, in: realm) }

    static func failureScopes(
        of number: PhoneNumber, _ purpose: CountedSend.Purpose, _ accountID: AccountID?, in realm: Realm
    ) -> [[String]] {
        let place = [realm.project.rawValue, realm.tenant?.rawValue ?? "", purpose.rawValue]
        return [place + ["number", number.rawValue]] + (accountID.map { [place + ["account", $0.rawValue]] } ?? [])
    }
}

extension VerificationSession {
    /// Restores a session from its row.
    init(
        id: [UInt8], realm: Realm, purpose: CountedSend.Purpose, number: ParsedPhoneNumber, accountID: AccountID?,
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
        expiresAt = createdAt + MFASMS.codeLifetime
        self.failures = failures
        self.proof = proof
    }
}

import Crypto
import Vocabulary

/// An enrollment between start and finish (REST 3.2).
///
/// A right code verifies it, and the verification is stored before identity lists the factor. From then on the
/// enrollment is leased to the request that brought the code; a repetition of that request gets the recorded reply.
/// The code of any other request is verified. If the first request was lost, a later code takes over the enrollment.
struct TOTPEnrollment: Equatable, Sendable {
    enum State: String, Sendable {
        case open
        /// A right code was verified. Identity may or may not list the factor.
        case verified = "proved"
        /// Identity lists the factor.
        case finished
    }

    enum VerificationResult: Equatable, Sendable {
        /// The code of this step was right.
        case verified(step: Int64)
        /// The request that brought the right code was repeated.
        case resumed
        case refused(TOTPError)
    }

    /// Recorded when the right code arrives.
    struct Proof: Equatable, Sendable {
        /// Digest of the request that brought it.
        var request: [UInt8]
        /// The request has the exclusive lease until this time.
        var leasedUntil: Moment
    }

    /// One request with a code.
    struct Attempt: Sendable {
        /// Nil for malformed input. It does not count as an attempt, because it cannot be a guess.
        var code: TOTPCode?
        /// Digest of the request without the client context.
        var request: [UInt8]
        /// Steps of 30 s that a code may be early or late.
        var windowSteps: Int
    }

    /// The lease of a verified enrollment: longer than the timeout of the call to identity.
    static let lease = Duration.seconds(10)

    static let lifetime = Duration.seconds(900)
    static let maximumFailedAttempts = 3
    /// RFC 4226 §4 R6 recommends 160 bits.
    static let secretBytes = 20

    var owner: TOTPAccountKey
    /// The id of the new factor.
    var factorID: FactorID
    var createdAt: Moment
    /// Wrong codes so far.
    var failedAttempts = 0
    var state = State.open
    var proof: Proof?

    /// Whether this very request has brought the right code before.
    func isVerified(by request: [UInt8]) -> Bool {
        proof.map { constantTimeEquals($0.request, request) } ?? false
    }

    /// Whether a request may continue.
    /// - Throws: `alreadyEnrolled`, `sessionExpired`.
    func checkOpen(of request: [UInt8], at now: Moment) throws(TOTPError) {
        if isVerified(by: request) { return }
        if state == .finished { throw .alreadyEnrolled }
        guard now < createdAt + Self.lifetime else { throw .sessionExpired }
    }

    /// Verifies a code and records the attempt.
    /// - Parameter lastStep: of the factor; nil while there is none. A used code is wrong.
    mutating func verify(_ attempt: Attempt, secret: [UInt8], lastStep: Int64?, at now: Moment) -> VerificationResult {
        if isVerified(by: attempt.request) {
            proof?.leasedUntil = now + Self.lease
            return .resumed
        }
        if state == .finished { return .refused(.alreadyEnrolled) }
        guard failedAttempts < Self.maximumFailedAttempts else { return .refused(.tooManyAttempts) }
        guard let code = attempt.code else { return .refused(.invalidCode) }
        guard
            let step = code.step(
                secret: secret, around: TOTPCode.step(at: now), window: attempt.windowSteps, after: lastStep)
        else {
            failedAttempts += 1
            return .refused(.invalidCode)
        }
        // Another request verified it and holds the lease.
        if let proof, now < proof.leasedUntil { return .refused(.alreadyEnrolled) }
        state = .verified
        proof = Proof(request: attempt.request, leasedUntil: now + Self.lease)
        return .verified(step: step)
    }
}

/// Realm and account: part of every stored key.
struct TOTPAccountKey: Hashable, Sendable {
    var realm: Realm
    var accountID: AccountID
}

/// The opaque `sessionInfo` of an enrollment, 256 bits. The store keeps a keyed digest of it.
struct TOTPSession: Sendable {
    static let secretBytes = 32

    let secret: [UInt8]

    init(secret: [UInt8]) {
        self.secret = secret
    }

    /// - Returns: nil for a malformed session.
    init?(_ text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.secretBytes else {
            return nil
        }
        secret = bytes
    }

    var text: String { Base64URL.encode(secret) }
}

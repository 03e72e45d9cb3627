import Contracts
import Crypto
import Vocabulary

/// An enrollment between its start and its end (REST 3.2).
///
/// A right code verifies it, which is stored before identity lists the factor. From then on it belongs to the request
/// that brought the code: the same request may come again, and gets the recorded reply. Every other request is
/// evaluated. If the first one was lost, a later code takes over the enrollment.
struct TOTPEnrollment: Equatable, Sendable {
    enum State: String, Sendable {
        case open
        /// A right code came. Identity may not list the factor yet.
        case verified = "proved"
        /// Identity lists the factor.
        case finished
    }

    enum VerificationResult: Equatable, Sendable {
        /// The code of this step was right.
        case verified(step: Int64)
        /// The request that brought the right code was repeated.
        case resumed
        case refused(ServiceError)
    }

    /// The request that brought the right code.
    struct Proof: Equatable, Sendable {
        /// The digest of the request.
        var request: [UInt8]
        /// Until then the request is in progress.
        var leasedUntil: Moment
    }

    /// One request with a code.
    struct Attempt: Sendable {
        /// Nil for input that is no code. It does not count as an attempt.
        var code: TOTPCode?
        /// The digest of the request without its client.
        var request: [UInt8]
        /// Steps of 30 s that a code may be early or late.
        var windowSteps: Int
    }

    /// How long the request that brought the right code has identity to itself: longer than its timeout.
    static let lease = Duration.seconds(10)

    static let lifetime = Duration.seconds(900)
    static let maximumFailedAttempts = 3
    /// RFC 4226 §4 R6 recommends 160 bits (security rule TO1).
    static let secretBytes = 20

    var owner: TOTPAccountKey
    /// The id of the future factor.
    var factorID: FactorID
    var createdAt: Moment
    /// Wrong codes so far.
    var failedAttempts = 0
    var state = State.open
    var proof: Proof?

    /// Whether this request brought the right code before.
    func isVerified(by request: [UInt8]) -> Bool {
        proof.map { constantTimeEquals($0.request, request) } ?? false
    }

    /// Checks whether a request may continue.
    /// - Throws: `alreadyEnrolled`, `sessionExpired`.
    func checkOpen(of request: [UInt8], at now: Moment) throws(ServiceError) {
        if isVerified(by: request) { return }
        if state == .finished { throw ServiceError(.factorAlreadyEnrolled) }
        guard createdAt.beginsWindow(of: Self.lifetime, containing: now) else {
            throw ServiceError(.verificationSessionExpired)
        }
    }

    /// Verifies a code and counts the attempt.
    /// - Parameter lastStep: of the factor; nil while there is none. A used code is wrong.
    mutating func verify(_ attempt: Attempt, secret: [UInt8], lastStep: Int64?, at now: Moment) -> VerificationResult {
        if isVerified(by: attempt.request) {
            proof?.leasedUntil = now + Self.lease
            return .resumed
        }
        if state == .finished { return .refused(ServiceError(.factorAlreadyEnrolled)) }
        guard failedAttempts < Self.maximumFailedAttempts else {
            return .refused(.limited(by: .totpEnrollmentAttempts, until: nil))
        }
        guard let code = attempt.code else { return .refused(ServiceError(.invalidCode)) }
        guard
            let step = code.step(
                secret: secret, around: TOTPCode.step(at: now), window: attempt.windowSteps, after: lastStep)
        else {
            failedAttempts += 1
            return .refused(ServiceError(.invalidCode))
        }
        // Another request brought the right code and is in progress.
        if let proof, proof.leasedUntil.endsWindow(ofAtMost: Self.lease, at: now) {
            return .refused(ServiceError(.factorAlreadyEnrolled))
        }
        state = .verified
        proof = Proof(request: attempt.request, leasedUntil: now + Self.lease)
        return .verified(step: step)
    }
}

/// An account in its realm: part of every stored key.
struct TOTPAccountKey: Hashable, Sendable {
    var realm: Realm
    var accountID: AccountID
}

/// The opaque `sessionInfo` of an enrollment, 256 bits. The database has a keyed digest of it.
struct TOTPSession: Sendable {
    static let secretBytes = 32

    let secret: [UInt8]

    init(secret: [UInt8]) {
        self.secret = secret
    }

    /// - Returns: nil for a malformed text.
    init?(_ text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.secretBytes else {
            return nil
        }
        secret = bytes
    }

    var text: String { Base64URL.encode(secret) }
}

import Crypto
import Vocabulary

/// An enrolment between its start and its end (REST 3.2).
///
/// A right code proves it, and the proof is stored before identity lists the factor. From then on it belongs to the request
/// that brought the code: that one may come again, and gets the recorded reply. Every other request is judged. If the first
/// one was lost on the way, a later code takes the enrollment over.
struct TOTPEnrollment: Equatable, Sendable {
    enum State: String, Sendable {
        case open
        /// A right code came. Whether identity lists the factor is not known here.
        case verified = "proved"
        /// Identity lists the factor.
        case finished
    }

    enum VerificationResult: Equatable, Sendable {
        /// The code of this step was right.
        case verified(step: Int64)
        /// The request that brought the right code came again.
        case resumed
        case refused(TOTPError)
    }

    /// The right code has come.
    struct Proof: Equatable, Sendable {
        /// Digest of the request that brought it.
        var request: [UInt8]
        /// Until then that request is being worked on.
        var leasedUntil: Moment
    }

    /// One request with a code.
    struct Attempt: Sendable {
        /// Nil for what is no code. It costs no try, since it cannot be a guess.
        var code: TOTPCode?
        /// Digest of the request, without where it comes from.
        var request: [UInt8]
        /// Steps of 30 s that a code may be early or late.
        var windowSteps: Int
    }

    /// How long the request that has proved it has identity to itself: longer than identity is waited for.
    static let lease = Duration.seconds(10)

    static let lifetime = Duration.seconds(900)
    static let maximumFailedAttempts = 3
    /// RFC 4226 §4 R6 recommends 160 bits.
    static let secretBytes = 20

    var owner: TOTPAccountKey
    /// Of the factor to be.
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

    /// Whether a request may go on.
    /// - Throws: `alreadyEnrolled`, `sessionExpired`.
    func checkOpen(of request: [UInt8], at now: Moment) throws(TOTPError) {
        if isVerified(by: request) { return }
        if state == .finished { throw .alreadyEnrolled }
        guard now < createdAt + Self.lifetime else { throw .sessionExpired }
    }

    /// Judges a code and remembers the attempt.
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
        // Another request has proved it, and is about to be answered.
        if let proof, now < proof.leasedUntil { return .refused(.alreadyEnrolled) }
        state = .verified
        proof = Proof(request: attempt.request, leasedUntil: now + Self.lease)
        return .verified(step: step)
    }
}

/// Whose something is: part of every key we store.
struct TOTPAccountKey: Hashable, Sendable {
    var realm: Realm
    var accountID: AccountID
}

/// The opaque `sessionInfo` of an enrolment, 256 bits. What is kept of it is a keyed digest.
struct TOTPSession: Sendable {
    static let secretBytes = 32

    let secret: [UInt8]

    init(secret: [UInt8]) {
        self.secret = secret
    }

    /// - Returns: nil for anything we never issued the like of.
    init?(_ text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.secretBytes else {
            return nil
        }
        secret = bytes
    }

    var text: String { Base64URL.encode(secret) }
}

import Crypto
import Vocabulary

/// An enrolment between its start and its end (wire-protocol 3.2).
///
/// A right code proves it, and the proof is stored before identity hears of it. So whoever is lost on the way, this process
/// or the one that asked, the client may finish again with the same session, and gets the factor it has proved.
struct TOTPEnrollment: Equatable, Sendable {
    enum State: String, Sendable {
        case open
        /// A right code came. Whether identity lists the factor is not known here.
        case proved
        /// Identity lists the factor.
        case finished
    }

    enum Verdict: Equatable, Sendable {
        /// The code of this step was right.
        case proved(step: Int64)
        /// An earlier code was.
        case provedBefore
        case refused(TOTPError)
    }

    static let lifetime = Duration.seconds(900)
    static let maximumTries = 3
    /// RFC 4226 §4 R6 recommends 160 bits.
    static let secretBytes = 20

    var owner: TOTPOwner
    /// Of the factor to be.
    var factorID: FactorID
    var createdAt: Moment
    /// Wrong codes so far.
    var tries = 0
    var state = State.open

    /// - Throws: `alreadyEnrolled`, `sessionExpired`.
    func checkStanding(at now: Moment) throws(TOTPError) {
        if state == .finished { throw .alreadyEnrolled }
        guard now < createdAt + Self.lifetime else { throw .sessionExpired }
    }

    /// Judges a code and remembers the attempt.
    /// - Parameters:
    ///   - code: nil for what is no code. It costs no try, since it cannot be a guess.
    ///   - window: steps of 30 s that a code may be early or late.
    mutating func judge(_ code: TOTPCode?, secret: [UInt8], window: Int, at now: Moment) -> Verdict {
        switch state {
        case .finished: return .refused(.alreadyEnrolled)
        case .proved: return .provedBefore
        case .open: break
        }
        guard tries < Self.maximumTries else { return .refused(.tooManyTries) }
        guard let code else { return .refused(.wrongCode) }
        guard
            let step = code.step(secret: secret, around: TOTPCode.step(at: now), window: window, after: nil)
        else {
            tries += 1
            return .refused(.wrongCode)
        }
        state = .proved
        return .proved(step: step)
    }
}

/// Whose something is: part of every key we store.
struct TOTPOwner: Hashable, Sendable {
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

import Contracts
import Crypto
import Vocabulary

/// The text of an authorization code.
struct AuthorizationCodeText: OpaqueCredential {
    static let version: UInt8 = 4

    var secret: [UInt8]
}

/// An authorization code: what it was issued for, and what has become of it (security rule FE23).
struct AuthorizationCode: Equatable, Sendable {
    /// How long a code is kept, so that a second redemption is recognized.
    static let memory = Duration.seconds(24 * 60 * 60)

    enum State: Equatable, Sendable {
        case issued
        /// It was presented, and opened no session.
        case refused
        /// It has opened this session.
        case redeemed(SessionID)
    }

    /// The hash of its text.
    var hash: [UInt8]
    var realm: Realm
    var accountID: AccountID
    /// The sign-in on the page, which ends with its sessions.
    var signInID: SessionID
    var application: ApplicationID
    var redirectURL: String
    var challenge: Identity.CodeChallenge
    var nonce: String?
    var createdAt: Moment
    var state = State.issued

    /// What an application presents with a code.
    struct Presentation: Sendable {
        var application: ApplicationID
        var redirectURL: String
        var verifier: String
    }

    enum Judgment: Equatable, Sendable {
        case accepted
        /// The code ends here.
        case refused
        /// It was refused before.
        case ended
        /// It was redeemed before: who presents it now, or presented it then, is not its application. The session
        /// ends (RFC 6749 §4.1.2).
        case replayed(SessionID)
    }

    func judge(_ presentation: Presentation, at now: Moment) -> Judgment {
        switch state {
        case .redeemed(let session): return .replayed(session)
        case .refused: return .ended
        case .issued: break
        }
        let isOwner =
            presentation.application == application && presentation.redirectURL == redirectURL
            && challenge.isAnswered(by: presentation.verifier)
        let isInTime = createdAt.beginsWindow(of: Identity.IssueAuthorizationCode.lifetime, containing: now)
        return isOwner && isInTime ? .accepted : .refused
    }
}

extension Identity.CodeChallenge {
    /// RFC 7636 §4.1: a verifier has 43 to 128 unreserved characters. §4.6: its SHA-256 is the challenge.
    func isAnswered(by verifier: String) -> Bool {
        guard (43...128).contains(verifier.utf8.count),
            verifier.utf8.allSatisfy({ $0.isASCIINameByte || "._~".utf8.contains($0) }),
            let expected = Base64URL.decode(text)
        else { return false }
        return constantTimeEquals(SHA2.sha256(Array(verifier.utf8)), expected)
    }
}

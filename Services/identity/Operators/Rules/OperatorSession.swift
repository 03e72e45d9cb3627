import Contracts
import Crypto
import Vocabulary

/// The token of a session of the console, in a cookie.
struct OperatorToken: OpaqueCredential {
    static let version: UInt8 = 6

    var secret: [UInt8]

    /// What the forms of the session contain. It does not lead to the token, and another session has another one.
    var formToken: String {
        Base64URL.encode(HMAC.sha256(key: secret, message: Array("forms of the console".utf8)))
    }
}

/// A session of the console. It was opened by two verified factors.
struct OperatorSession: Equatable, Sendable {
    /// It ends when it was not used for so long.
    static let idleLifetime = Duration.seconds(30 * 60)
    static let absoluteLifetime = Duration.seconds(12 * 60 * 60)
    /// So long after its begin it may do what cannot be undone.
    static let freshLifetime = Duration.seconds(10 * 60)
    /// Uses are stored with this accuracy: most requests write nothing.
    static let useInterval = Duration.seconds(60)

    var tokenHash: [UInt8]
    var accountID: AccountID
    var createdAt: Moment
    var lastUsedAt: Moment
    var clientAddress: String?
    var device: String?

    /// The hash of a secret of 256 bits leads to nothing.
    var id: String { Base64URL.encode(tokenHash) }
    var endsAt: Moment { createdAt + Self.absoluteLifetime }

    /// A session that began or was used in the future was stored by a clock that was ahead: it has ended.
    func isActive(at now: Moment) -> Bool {
        createdAt.beginsWindow(of: Self.absoluteLifetime, containing: now)
            && lastUsedAt.beginsWindow(of: Self.idleLifetime, containing: now)
    }

    func isFresh(at now: Moment) -> Bool { createdAt.beginsWindow(of: Self.freshLifetime, containing: now) }

    /// Whether this use is stored.
    func recordsUse(at now: Moment) -> Bool { !lastUsedAt.beginsWindow(of: Self.useInterval, containing: now) }
}

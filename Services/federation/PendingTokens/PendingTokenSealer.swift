import Contracts
import Crypto
import FoundationEssentials
import JSON
import Vocabulary

/// Pending tokens: a verified identity that a client presents again, sealed by this service. They need no storage. Tokens of
/// providers are in no database, sealed or not (security rule FE19).
struct PendingTokenSealer: Sendable {
    /// Who has the token.
    enum Channel: Sendable {
        /// An application, in the reply to its request.
        case application
        /// A page, which passes it on to an application.
        case page

        var lifetime: Duration {
            switch self {
            case .application: .seconds(3600)
            case .page: .seconds(600)
            }
        }
    }

    /// A longer token would not fit into requests; the reply then has none.
    static let maximumTextBytes = 48 << 10
    private static let version: UInt8 = 1

    private struct Content: Codable {
        var signIn: VerifiedSignIn
        var expiresAt: Moment
        /// Absent in tokens of former versions, all of which have the lifetime of applications.
        var verifiedAt: Moment?
    }

    struct Opened: Equatable, Sendable {
        var signIn: VerifiedSignIn
        var verifiedAt: Moment
    }

    private let key: SealingKey

    /// - Parameter key: 32 secret bytes.
    /// - Throws: `CryptoError.malformedKey`.
    init(key: [UInt8]) throws(CryptoError) {
        guard let key = SealingKey(HKDF.sha256(key: key, salt: [], info: Array("pending token".utf8), count: 32)) else {
            throw .malformedKey
        }
        self.key = key
    }

    /// - Returns: nil when it would be too long.
    func seal(
        _ signIn: VerifiedSignIn, for realm: Realm, _ channel: Channel, at now: Moment
    ) throws -> Secret<String>? {
        let content = try WireJSON.encode(
            Content(signIn: signIn, expiresAt: now + channel.lifetime, verifiedAt: now))
        let text = Base64URL.encode([Self.version] + (try key.seal(Array(content), binding: Self.binding(realm))))
        return text.utf8.count <= Self.maximumTextBytes ? Secret(text) : nil
    }

    /// - Throws: `invalidPendingToken` for anything but a token of this realm that has not expired.
    func open(_ token: Secret<String>, for realm: Realm, at now: Moment) throws(ServiceError) -> Opened {
        guard token.reveal().utf8.count <= Self.maximumTextBytes, let bytes = Base64URL.decode(token.reveal()),
            bytes.first == Self.version,
            // `try?`: every malformed token is the same error.
            let plain = try? key.open(Array(bytes.dropFirst()), binding: Self.binding(realm)),
            let content = try? WireJSON.decode(Content.self, from: Data(plain))
        else { throw ServiceError(.invalidPendingToken) }
        let verifiedAt = content.verifiedAt ?? content.expiresAt - Channel.application.lifetime
        let lifetime = Duration.milliseconds(content.expiresAt.milliseconds(since: verifiedAt))
        guard verifiedAt.beginsWindow(of: lifetime, containing: now) else { throw ServiceError(.invalidPendingToken) }
        return Opened(signIn: content.signIn, verifiedAt: verifiedAt)
    }

    private static func binding(_ realm: Realm) -> [UInt8] {
        [version] + Array("\(realm.project.rawValue)\0\(realm.tenant?.rawValue ?? "")".utf8)
    }
}

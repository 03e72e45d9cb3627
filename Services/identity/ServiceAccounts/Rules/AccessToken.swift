import Contracts
import Crypto
import Vocabulary

/// The bearer token of a service account for the admin API: opaque, random, and stored as its hash.
struct AccessToken: Equatable, Sendable {
    static let secretBytes = 32
    private static let prefix = Identity.IssueAccessToken.tokenPrefix

    private let secret: [UInt8]

    init(secret: [UInt8]) {
        precondition(secret.count == Self.secretBytes)
        self.secret = secret
    }

    /// - Returns: nil for malformed text.
    init?(_ text: String) {
        guard text.utf8.count <= 128, text.hasPrefix(Self.prefix),
            let secret = Base64URL.decode(String(text.dropFirst(Self.prefix.count))), secret.count == Self.secretBytes
        else { return nil }
        self.secret = secret
    }

    var text: String { Self.prefix + Base64URL.encode(secret) }
    var hash: [UInt8] { SHA2.sha256(secret) }
}

/// The permissions of an access token.
struct AccessGrant: Equatable, Sendable {
    /// One hour, as client libraries expect.
    static let lifetimeSeconds: Int64 = 3600

    var project: ProjectID
    var serviceAccount: String
    var keyID: String
    var permissions: [Identity.AdminPermission]
    var expiresAt: Moment

    private static let scopeRoot = "https://www.googleapis.com/auth/"

    /// The permissions of Google's scopes. Unknown scopes are ignored, because client libraries request those of
    /// several services at once.
    /// - Throws: `invalidScope` when there is no known scope.
    static func permissions(of scopes: String) throws(ServiceError) -> [Identity.AdminPermission] {
        var permissions: Set<Identity.AdminPermission> = []
        for scope in scopes.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map({ Substring($0) })
        where scope.hasPrefix(scopeRoot) {
            switch scope.dropFirst(scopeRoot.count) {
            case "cloud-platform", "firebase", "identitytoolkit": permissions.formUnion([.read, .write])
            case "cloud-platform.read-only", "firebase.readonly": permissions.insert(.read)
            default: break
            }
        }
        guard !permissions.isEmpty else { throw ServiceError(.invalidScope) }
        return Identity.AdminPermission.allCases.filter(permissions.contains)
    }
}

extension Identity.ServiceAccountKey {
    static let maximumNameBytes = 256

    /// The public key, if the registration is valid: an address, a key ID, an RSA key.
    /// - Throws: `invalidServiceAccount`.
    func checkedKey() throws(ServiceError) -> [UInt8] {
        for text in [email, keyID] {
            guard (1...Self.maximumNameBytes).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
            else { throw ServiceError(.invalidServiceAccount) }
        }
        guard email.utf8.contains(UInt8(ascii: "@")), let der = Base64URL.decode(publicKey) else {
            throw ServiceError(.invalidServiceAccount)
        }
        do {
            let key = try PublicKey(subjectPublicKeyInfo: der)
            guard key.algorithm == .rs256 else { throw ServiceError(.invalidServiceAccount) }
        } catch {
            throw ServiceError(.invalidServiceAccount)
        }
        return der
    }
}

import Crypto
import Vocabulary

/// A secret of 256 bits that a client brings back. Its text is base64url of a version byte and the secret.
protocol OpaqueCredential: Equatable, Sendable {
    /// Different for each kind, so that none is accepted as another. Refresh tokens have 1.
    static var version: UInt8 { get }
    var secret: [UInt8] { get }

    init(secret: [UInt8])
}

extension OpaqueCredential {
    static var secretBytes: Int { 32 }

    var text: String { Base64URL.encode([Self.version] + secret) }

    /// - Returns: nil for malformed text.
    init?(_ text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == 1 + Self.secretBytes,
            bytes.first == Self.version
        else { return nil }
        self.init(secret: Array(bytes.dropFirst()))
    }

    /// The stored hash.
    var hash: [UInt8] { SHA2.sha256(secret) }
}

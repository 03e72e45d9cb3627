import Contracts
import Crypto
import FoundationEssentials
import JSON
import Vocabulary

/// A password hash of another system, with all that its verification needs except the password.
struct ImportedPassword: Codable, Equatable, Sendable {
    var algorithm: PasswordHashAlgorithm
    var salt: OctetString
    var hash: OctetString

    /// Whether the password has the hash. It takes up to a second of a processor: run it in a `BlockingPool`.
    /// - Throws: `CryptoError` without memory.
    func matches(_ password: Password) throws(CryptoError) -> Bool {
        // Other systems have hashed what the user entered.
        guard case .pepperedArgon2(let parameters, let pepper) = algorithm else {
            return try algorithm.matches(password.originalBytes, salt: salt.bytes, hash: hash.bytes)
        }
        guard let key = pepper.key?.reveal().bytes else { return false }
        let tag = try Argon2.hash(
            password: HMAC.sha256(key: key, message: password.bytes), salt: salt.bytes, .init(parameters))
        return constantTimeEquals(tag, hash.bytes)
    }
}

/// The stored form of an imported password: `$imported$v=1,keyid=<id>$<sealed>`. The hash is sealed under the pepper
/// that `keyid` names: other systems used weak algorithms, and the database alone must not suffice to guess passwords
/// (security rule PW3). The first sign-in replaces it by a `PasswordRecord`.
struct ImportedPasswordRecord: Equatable, Sendable {
    static let prefix = "$imported$v=1,keyid="

    var pepperID: String
    private var sealed: [UInt8]

    var text: String { "\(Self.prefix)\(pepperID)$\(Base64URL.encode(sealed))" }

    init(sealing password: ImportedPassword, with pepper: PasswordHasher.Pepper) throws {
        pepperID = pepper.id
        sealed = try Self.key(of: pepper).seal(Array(WireJSON.encode(password)), binding: [])
    }

    /// - Returns: nil for any other text.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            let parts = text.dropFirst(Self.prefix.count).lastHalves(at: "$"),
            let sealed = Base64URL.decode(parts.behind)
        else { return nil }
        pepperID = String(parts.before)
        self.sealed = sealed
    }

    /// - Throws: `CryptoError.authenticationFailed` with another pepper.
    func open(with pepper: PasswordHasher.Pepper) throws -> ImportedPassword {
        let plain = try Self.key(of: pepper).open(sealed, binding: [])
        return try WireJSON.decode(ImportedPassword.self, from: Data(plain))
    }

    private static func key(of pepper: PasswordHasher.Pepper) throws(CryptoError) -> SealingKey {
        guard
            let key = SealingKey(
                HKDF.sha256(key: pepper.key, salt: [], info: Array("imported passwords".utf8), count: 32))
        else { throw .malformedKey }
        return key
    }
}

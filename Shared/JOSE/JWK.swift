package import Crypto
import Vocabulary

/// A public key for signatures as JSON (RFC 7517): RSA or P-256.
package struct JWK: Sendable {
    package let key: PublicKey
    /// The `kid` by which tokens refer to the key.
    package let keyID: String?
    /// The issuer whose tokens the key signs, as Microsoft publishes it: with `{tenantid}` for any tenant. Nil: of every
    /// issuer of the set.
    package let issuer: String?

    /// A key of this server, to publish.
    package init(_ key: PublicKey, keyID: String) {
        self.key = key
        self.keyID = keyID
        issuer = nil
    }

    /// The members of a key, in base64url.
    private enum KeyParameters {
        case rsa(modulus: String, exponent: String)
        case p256(x: String, y: String)

        init(_ key: PublicKey) {
            if let (modulus, exponent) = key.rsaComponents {
                self = .rsa(modulus: Base64URL.encode(modulus), exponent: Base64URL.encode(exponent))
            } else if let (x, y) = key.p256Coordinates {
                self = .p256(x: Base64URL.encode(x), y: Base64URL.encode(y))
            } else {
                preconditionFailure("a public key is RSA or P-256")
            }
        }
    }
}

extension JWK: Codable {
    private enum CodingKeys: String, CodingKey {
        case type = "kty"
        case algorithm = "alg"
        case use
        case operations = "key_ops"
        case keyID = "kid"
        case modulus = "n"
        case exponent = "e"
        case curve = "crv"
        case x
        case y
        case issuer
    }

    /// - Throws: `CryptoError` for a weak or invalid key, `DecodingError` for a key of another type or for another use.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
        issuer = try members.decodeIfPresent(String.self, forKey: .issuer)

        func bytes(_ name: CodingKeys) throws -> [UInt8] {
            guard let bytes = Base64URL.decode(try members.decode(String.self, forKey: name)) else {
                throw DecodingError.dataCorruptedError(forKey: name, in: members, debugDescription: "not base64url")
            }
            return bytes
        }
        func require<Value: Equatable & Decodable>(_ name: CodingKeys, _ value: Value) throws {
            guard try members.decodeIfPresent(Value.self, forKey: name) ?? value == value else {
                throw DecodingError.dataCorruptedError(forKey: name, in: members, debugDescription: "another use")
            }
        }

        switch try members.decode(String.self, forKey: .type) {
        case "RSA":
            key = try PublicKey(rsaModulus: bytes(.modulus), exponent: bytes(.exponent))
        case "EC" where try members.decode(String.self, forKey: .curve) == "P-256":
            key = try PublicKey(p256X: bytes(.x), y: bytes(.y))
        default:
            throw DecodingError.dataCorruptedError(forKey: .type, in: members, debugDescription: "another kind of key")
        }
        // If a key declares its use, it is accepted for that use only (RFC 7517 §4.2 to §4.4).
        try require(.use, "sig")
        try require(.algorithm, key.algorithm.rawValue)
        let operations = try members.decodeIfPresent([String].self, forKey: .operations)
        guard operations?.contains("verify") ?? true else {
            throw DecodingError.dataCorruptedError(forKey: .operations, in: members, debugDescription: "another use")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode("sig", forKey: .use)
        try members.encode(key.algorithm.rawValue, forKey: .algorithm)
        try members.encodeIfPresent(keyID, forKey: .keyID)
        switch KeyParameters(key) {
        case .rsa(let modulus, let exponent):
            try members.encode("RSA", forKey: .type)
            try members.encode(modulus, forKey: .modulus)
            try members.encode(exponent, forKey: .exponent)
        case .p256(let x, let y):
            try members.encode("EC", forKey: .type)
            try members.encode("P-256", forKey: .curve)
            try members.encode(x, forKey: .x)
            try members.encode(y, forKey: .y)
        }
    }
}

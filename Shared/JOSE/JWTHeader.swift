package import Crypto

/// What a JOSE header (RFC 7515 §4) says that we listen to. Keys it brings or points at (`jwk`, `jku`, `x5c`, `x5u`) are
/// never looked at: a token must not choose what it is checked with.
package struct JWTHeader: Equatable, Sendable {
    /// As written: `RS256`, `none`, or anything.
    package let algorithmName: String
    /// Looked up among known keys, and used for nothing else.
    package let keyID: String?
    /// The kind of token, `typ`.
    package let type: String?

    /// Nil for one we do not have, `none` included.
    package var algorithm: SignatureAlgorithm? { SignatureAlgorithm(rawValue: algorithmName) }
}

extension JWTHeader: Codable {
    private enum CodingKeys: String, CodingKey {
        case algorithmName = "alg"
        case keyID = "kid"
        case type = "typ"
        // Extensions that change what the other parts mean.
        case critical = "crit"
        case unencoded = "b64"
        case encryption = "enc"
        case compression = "zip"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        for key in [CodingKeys.critical, .unencoded, .encryption, .compression] where members.contains(key) {
            throw JWTError.unsupportedHeader
        }
        algorithmName = try members.decode(String.self, forKey: .algorithmName)
        // Absent is allowed, null is not a string.
        keyID = members.contains(.keyID) ? try members.decode(String.self, forKey: .keyID) : nil
        type = members.contains(.type) ? try members.decode(String.self, forKey: .type) : nil
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(algorithmName, forKey: .algorithmName)
        try members.encodeIfPresent(keyID, forKey: .keyID)
        try members.encodeIfPresent(type, forKey: .type)
    }
}

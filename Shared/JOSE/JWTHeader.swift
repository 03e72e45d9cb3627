package import Crypto

/// The members of a JOSE header (RFC 7515 §4) that are used. Keys in the header or references to keys (`jwk`, `jku`,
/// `x5c`, `x5u`) are ignored: a token must not select its own verification key.
package struct JWTHeader: Equatable, Sendable {
    /// As sent: `RS256`, `none`, or any other text.
    package let algorithmName: String
    /// Used only to look up a known key.
    package let keyID: String?
    /// The type of token, `typ`.
    package let type: String?

    /// Nil for an unsupported algorithm, including `none`.
    package var algorithm: SignatureAlgorithm? { SignatureAlgorithm(rawValue: algorithmName) }
}

extension JWTHeader: Codable {
    private enum CodingKeys: String, CodingKey {
        case algorithmName = "alg"
        case keyID = "kid"
        case type = "typ"
        // Extensions that change the meaning of the other parts.
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
        // A missing member is allowed; null is not a string.
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

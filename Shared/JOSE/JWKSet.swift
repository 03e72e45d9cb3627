import Crypto
package import FoundationEssentials
import JSON

/// A set of public keys (RFC 7517 §5).
package struct JWKSet: Sendable {
    package let keys: [JWK]

    package init(_ keys: [JWK]) {
        self.keys = keys
    }

    /// Parses a published set. Unusable keys are skipped, as RFC 7517 §5 requires: weak ones, other types, other uses.
    /// - Throws: `JWTError.malformed` if it is not a set within the bounds of `JSONLimits.standard`.
    package init(json: Data) throws(JWTError) {
        do {
            self = try WireJSON.decode(JWKSet.self, from: json)
        } catch {
            throw .malformed
        }
    }

    /// The key that verifies a token.
    /// - Parameter keyID: nil if the token has none. A key is then found only if there is exactly one candidate.
    func key(named keyID: String?, for algorithm: SignatureAlgorithm) -> PublicKey? {
        guard let keyID else {
            guard keys.count == 1, let only = keys.first, only.key.algorithm == algorithm else { return nil }
            return only.key
        }
        return keys.first { $0.keyID == keyID && $0.key.algorithm == algorithm }?.key
    }
}

extension JWKSet: Codable {
    private struct Entry: Decodable {
        let key: JWK?

        init(from decoder: any Decoder) {
            key = try? JWK(from: decoder)  // `try?`: an unusable key is skipped.
        }
    }

    private enum CodingKeys: CodingKey { case keys }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        keys = try members.decode([Entry].self, forKey: .keys).compactMap(\.key)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(keys, forKey: .keys)
    }
}

import Foundation
import LatchkeyAuth

/// The keys with which the server signs, from its JWK set (RFC 7517 section 5).
struct PublishedKeys: Sendable {
    /// The longest set that is read, in bytes.
    static let maximumBytes = 256 << 10
    /// The largest number of keys in a set.
    static let maximumKeys = 64

    private let keys: [String: RSAPublicKey]

    /// Keys for other algorithms and for other uses, weak keys, and keys without `kid` are left out.
    /// - Returns: nil if the bytes are no set, exceed a limit, or contain no usable key.
    init?(jwkSet: Data) {
        guard jwkSet.count <= Self.maximumBytes else { return nil }
        // `try?`: malformed JSON is no set.
        guard let set = try? JSONDecoder().decode(KeySet.self, from: jwkSet), set.keys.count <= Self.maximumKeys else {
            return nil
        }
        let named = set.keys.compactMap { $0.value }.compactMap { record in
            record.rsaKey.flatMap { key in record.kid.map { ($0, key) } }
        }
        // Two keys with one name: neither is used, because a verifier could not say which is meant.
        let byName = Dictionary(grouping: named) { $0.0 }
        keys = byName.compactMapValues { $0.count == 1 ? $0.first?.1 : nil }
        guard !keys.isEmpty else { return nil }
    }

    /// The key with an ID.
    func key(_ keyID: String) -> RSAPublicKey? { keys[keyID] }

    private struct KeySet: Decodable {
        var keys: [Entry]
    }

    /// An entry of another shape is left out.
    private struct Entry: Decodable {
        let value: KeyRecord?

        init(from decoder: any Decoder) {
            value = try? KeyRecord(from: decoder)  // `try?`: RFC 7517 section 5 requires to skip it.
        }
    }

    private struct KeyRecord: Decodable {
        var kty: String
        var kid: String?
        var alg: String?
        var use: String?
        var n: String?
        var e: String?

        var rsaKey: RSAPublicKey? {
            guard kty == "RSA", alg ?? "RS256" == "RS256", use ?? "sig" == "sig",
                let modulus = n.flatMap({ Data(base64URL: $0) }), let exponent = e.flatMap({ Data(base64URL: $0) })
            else { return nil }
            return RSAPublicKey(modulus: Array(modulus), exponent: Array(exponent))
        }
    }
}

package import Crypto
package import FoundationEssentials
import JSON
import Vocabulary

/// Creates JSON Web Tokens in compact form (RFC 7519).
package enum JWT {
    /// Signs a token. An RSA signature takes about half a millisecond of processor time.
    /// - Parameters:
    ///   - claims: a JSON object.
    ///   - keyID: the id by which verifiers find the public key.
    ///   - includesType: false omits `typ` from the header, as in session cookies.
    package static func sign(
        claims: Data, keyID: String, with key: PrivateKey, includesType: Bool = true
    ) throws(CryptoError) -> String {
        let header = header(algorithm: key.algorithm, keyID: keyID, includesType: includesType)
        let signingInput = header + "." + Base64URL.encode(Array(claims))
        return signingInput + "." + Base64URL.encode(try key.sign(Array(signingInput.utf8), key.algorithm))
    }

    /// An unsigned token (RFC 7519 §6), as emulators issue: for development only.
    /// - Parameter claims: a JSON object.
    package static func unsigned(claims: Data) -> String {
        unsignedHeader + "." + Base64URL.encode(Array(claims)) + "."
    }

    /// The first segment of every token that `sign` creates with these arguments. An issuer that verifies only its own
    /// tokens can compare it instead of parsing it.
    package static func header(algorithm: SignatureAlgorithm, keyID: String, includesType: Bool = true) -> String {
        encode(JWTHeader(algorithmName: algorithm.rawValue, keyID: keyID, type: includesType ? "JWT" : nil))
    }

    /// The first segment of every token that `unsigned` creates.
    package static let unsignedHeader = encode(JWTHeader(algorithmName: "none", keyID: nil, type: "JWT"))

    /// A token with a message authentication code (RFC 7515, HS256), for tokens that only their issuer verifies.
    /// - Parameters:
    ///   - claims: a JSON object.
    ///   - key: 32 secret bytes.
    package static func authenticated(claims: Data, key: [UInt8]) -> String {
        let input = authenticatedHeader + "." + Base64URL.encode(Array(claims))
        return input + "." + Base64URL.encode(HMAC.sha256(key: key, message: Array(input.utf8)))
    }

    /// The first segment of every token that `authenticated` creates.
    package static let authenticatedHeader = encode(JWTHeader(algorithmName: "HS256", keyID: nil, type: "JWT"))

    private static func encode(_ header: JWTHeader) -> String {
        do {
            return Base64URL.encode(Array(try WireJSON.encodeSorted(header)))
        } catch {
            preconditionFailure("three strings are always JSON: \(error)")
        }
    }
}

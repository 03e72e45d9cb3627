package import Crypto
package import FoundationEssentials

/// Makes JSON Web Tokens in compact form (RFC 7519).
package enum JWT {
    /// Signs a token. With RSA about half a millisecond of a processor.
    /// - Parameters:
    ///   - claims: a JSON object.
    ///   - keyID: by which verifiers find the public half of `key`.
    ///   - includesType: false leaves `typ` out of the header, as in session cookies.
    package static func sign(
        claims: Data, keyID: String, with key: PrivateKey, includesType: Bool = true
    ) throws(CryptoError) -> String {
        let header = header(algorithm: key.algorithm, keyID: keyID, includesType: includesType)
        let signingInput = header + "." + Base64URL.encode(Array(claims))
        return signingInput + "." + Base64URL.encode(try key.sign(Array(signingInput.utf8), key.algorithm))
    }

    /// A token that proves nothing (RFC 7519 §6), as emulators issue: for development only.
    /// - Parameter claims: a JSON object.
    package static func unsigned(claims: Data) -> String {
        unsignedHeader + "." + Base64URL.encode(Array(claims)) + "."
    }

    /// The first segment of every token that `sign` makes with these arguments: who verifies only tokens of its own can
    /// compare it instead of reading it.
    package static func header(algorithm: SignatureAlgorithm, keyID: String, includesType: Bool = true) -> String {
        encode(JWTHeader(algorithmName: algorithm.rawValue, keyID: keyID, type: includesType ? "JWT" : nil))
    }

    /// The first segment of every token that `unsigned` makes.
    package static let unsignedHeader = encode(JWTHeader(algorithmName: "none", keyID: nil, type: "JWT"))

    /// A token with a message authentication code (RFC 7515, HS256), for tokens that only their issuer verifies.
    /// - Parameters:
    ///   - claims: a JSON object.
    ///   - key: 32 secret bytes.
    package static func authenticated(claims: Data, key: [UInt8]) -> String {
        let input = authenticatedHeader + "." + Base64URL.encode(Array(claims))
        return input + "." + Base64URL.encode(HMAC.sha256(key: key, message: Array(input.utf8)))
    }

    /// The first segment of every token that `authenticated` makes.
    package static let authenticatedHeader = encode(JWTHeader(algorithmName: "HS256", keyID: nil, type: "JWT"))

    private static func encode(_ header: JWTHeader) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Base64URL.encode(Array(try encoder.encode(header)))
        } catch {
            preconditionFailure("three strings are always JSON: \(error)")
        }
    }
}

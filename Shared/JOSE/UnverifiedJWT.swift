package import Crypto
package import FoundationEssentials
import JSON
import Vocabulary

/// A well-formed JSON Web Token in compact form (RFC 7519, RFC 7515 §7.1) that is not yet verified.
package struct UnverifiedJWT: Sendable {
    /// The limit of the compact form. Tokens of this server have about 1 KiB.
    package static let maximumBytes = 16 << 10

    package let header: JWTHeader
    /// A JSON object within the bounds of `JSONLimits.standard`.
    package let claims: Data
    private let claimsDocument: JSONDocument
    /// The signed data: the first two parts as sent.
    package let signingInput: [UInt8]
    /// Empty if the token has none.
    package let signature: [UInt8]

    /// Parses a token: three parts in strict base64url, two of which are JSON objects.
    /// - Throws: `JWTError.malformed` or `unsupportedHeader`.
    package init(_ compact: String) throws(JWTError) {
        guard compact.utf8.count <= Self.maximumBytes else { throw .malformed }
        guard let (signed, signatureText) = compact.lastHalves(at: "."),
            case let (headerText, claimsText?) = signed.halves(at: "."),
            let header = Base64URL.decode(headerText), let claims = Base64URL.decode(claimsText),
            let signature = Base64URL.decode(signatureText)
        else { throw .malformed }
        do {
            self.header = try WireJSON.decode(JWTHeader.self, from: header)
            claimsDocument = try JSONDocument(claims)
        } catch JWTError.unsupportedHeader {
            throw .unsupportedHeader
        } catch {
            throw .malformed
        }
        guard claimsDocument.isObject else { throw .malformed }
        self.claims = Data(claims)
        signingInput = Array(signed.utf8)
        self.signature = signature
    }

    /// Whether the token declares that it is unsigned and has no signature, as emulators issue them (RFC 7519 §6).
    package var isUnsecured: Bool { header.algorithmName == "none" && signature.isEmpty }

    /// Whether `key` verifies the signature with the algorithm in the header.
    package func isSigned(by key: PublicKey) -> Bool {
        guard let algorithm = header.algorithm else { return false }
        return key.isValid(signature: signature, for: signingInput, algorithm)
    }

    /// Verifies type, algorithm, key and signature, and no claim. `JWTVerifier` also verifies the claims of tokens
    /// about a user who has signed in.
    package func checkSignature(
        with keys: JWKSet, algorithms: Set<SignatureAlgorithm>
    ) throws(JWTError) {
        // Logout tokens and access tokens come from the same issuer with the same keys; their type distinguishes them.
        guard header.type.map({ $0.asciiLowercased == "jwt" }) ?? true else { throw .wrongType }
        guard let algorithm = header.algorithm, algorithms.contains(algorithm) else { throw .algorithmNotAllowed }
        guard let key = keys.key(named: header.keyID, for: algorithm) else { throw .unknownKey }
        guard isSigned(by: key) else { throw .invalidSignature }
    }

    /// Decodes claims into the caller's type.
    /// - Throws: `JWTError.malformed` if a claim is missing or has another type.
    package func claims<Value: Decodable>(as type: Value.Type = Value.self) throws(JWTError) -> Value {
        do {
            return try claimsDocument.decode(type)
        } catch {
            throw .malformed
        }
    }
}

import Crypto
import JOSE
import JSON
import Vocabulary

/// Verifies tokens that service accounts sign: custom tokens for users (tokens 4), and assertions for themselves (RFC
/// 7523 §3). The address in a token only selects its registered keys; the algorithm is fixed.
struct ServiceAccountTokenVerifier: Sendable {
    /// A token that a registered key signed, for one of the accepted audiences, within its time.
    struct Verified: Sendable {
        /// The address of the service account.
        var email: String
        var signer: ServiceAccountVerificationKey
        var claims: JSONValue
        var expiresAt: Timestamp
    }

    /// From `iat` to `exp`, at most.
    static let maximumLifetimeSeconds: Int64 = 3600
    /// How far the clocks of signer and server may be apart, either way.
    static let clockToleranceSeconds: Int64 = 60

    let store: IdentityStore

    /// - Throws: `TokenError`, and what the store throws.
    func verify(_ token: UnverifiedJWT, audiences: Set<String>, at now: Timestamp) async throws -> Verified {
        guard token.header.type.map({ $0.asciiLowercased == "jwt" }) ?? true else { throw TokenError.malformed }
        guard token.header.algorithm == .rs256 else { throw TokenError.wrongAlgorithm }
        let claims = try Self.claims(of: token)
        guard case .string(let email)? = claims["iss"] else { throw TokenError.noIssuer }
        let known = try await store.verificationKeys(of: email)
        let named = known.filter { token.header.keyID == nil || token.header.keyID == $0.keyID }
        guard !named.isEmpty else { throw TokenError.unknownSigner }
        // Without a key id each key of the signer is tried: their number is bounded.
        guard let signer = named.first(where: { token.isSigned(by: $0.key) }) else { throw TokenError.badSignature }
        let expiresAt = try Self.check(claims, audiences: audiences, at: now)
        return Verified(email: email, signer: signer, claims: claims, expiresAt: expiresAt)
    }

    /// The payload of a token that is not verified.
    static func claims(of token: UnverifiedJWT) throws(TokenError) -> JSONValue {
        do {
            return try token.claims(as: JSONValue.self)
        } catch {
            throw .malformed
        }
    }

    /// - Returns: the expiry of the token.
    static func check(
        _ claims: JSONValue, audiences: Set<String>, at now: Timestamp
    ) throws(TokenError) -> Timestamp {
        guard case .string(let audience)? = claims["aud"], audiences.contains(audience) else { throw .wrongAudience }
        guard let issuedAt = seconds(claims["iat"]), let expiresAt = seconds(claims["exp"]) else { throw .noTimes }
        guard expiresAt > (now - clockToleranceSeconds).seconds else { throw .expired }
        guard max(issuedAt, seconds(claims["nbf"]) ?? 0) <= (now + clockToleranceSeconds).seconds else {
            throw .notYetValid
        }
        guard issuedAt <= expiresAt, expiresAt.subtractingSaturated(issuedAt) <= maximumLifetimeSeconds else {
            throw .lifetimeTooLong
        }
        return Timestamp(seconds: expiresAt)
    }

    /// RFC 7519 §2 allows fractions of a second. They are truncated.
    private static func seconds(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let number)?: (0...Int64(1) << 53).contains(number) ? number : nil
        case .number(let number)?: (0...0x1p53).contains(number) ? Int64(saturating: number) : nil
        case nil, .null?, .bool?, .string?, .array?, .object?: nil
        }
    }

    /// Why a token is refused. The text is for the developer of the application.
    enum TokenError: String, Error {
        case malformed = "It is not a JSON Web Token."
        case noIssuer = "It names no issuer."
        case unknownSigner = "Its signer or key is not registered with this server."
        case badSignature = "Its signature does not match."
        case wrongAlgorithm = "It must be signed with RS256."
        case wrongAudience = "Its audience is not this service."
        case wrongSubject = "Its subject must be its issuer, the service account."
        case noTimes = "It does not say when it was issued and when it ends."
        case expired = "It has expired."
        case notYetValid = "Its time has not come yet."
        case lifetimeTooLong = "It may live for an hour at most."
    }
}

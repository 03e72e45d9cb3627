import Blocking
import Contracts
import Crypto
import FoundationEssentials
import JOSE
import JSON
import Vocabulary

/// Signs ID tokens with the active key, and verifies those signed with any published key.
package struct IDTokenIssuer: Sendable {
    let keys: SigningKeyRing
    /// A signature takes a quarter of a millisecond. It has its own threads, so that many refreshes do not block the
    /// cooperative threads.
    let pool: BlockingPool
    /// Dev mode for clients that require `alg: none`.
    let isUnsigned: Bool

    /// Longer than any token that identity signs: all its inputs are bounded.
    private static let maximumBytes = 32 << 10

    /// - Throws: `ServiceError.overloaded` when the queue of signatures is full.
    func issue(
        for account: Account, authentication: AuthenticationContext, issuedAt: Timestamp, nonce: String? = nil
    ) async throws -> String {
        let payload = try IDTokenClaims.payload(
            for: account, authentication: authentication, issuedAt: issuedAt, nonce: nonce)
        if isUnsigned { return JWT.unsigned(claims: payload) }
        switch authentication.scope {
        case .full:
            let key = try keys.active(.idToken, at: issuedAt)
            return try await sign(payload, key, includesType: true)
        // No published key verifies it, so a backend that checks only the signature refuses it too.
        case .enrollment, .restoration: return JWT.authenticated(claims: payload, key: keys.enrollmentTokenKey)
        }
    }

    /// Signs a session cookie for an ID token that was verified.
    /// - Throws: `ServiceError.overloaded` when the queue of signatures is full, or while there is no key.
    func issueSessionCookie(
        from idToken: String, project: ProjectID, issuedAt: Timestamp, lifetimeSeconds: Int64
    ) async throws -> String {
        let cookie = try SessionCookie.payload(
            from: Self.payload(of: idToken), project: project, issuedAt: issuedAt, lifetimeSeconds: lifetimeSeconds)
        if isUnsigned { return JWT.unsigned(claims: cookie) }
        let key = try keys.active(.sessionCookie, at: issuedAt)
        return try await sign(cookie, key, includesType: false)
    }

    /// Signs the event of a blocking function with the key of ID tokens, also in emulator mode: its verifiers have no
    /// other mode. It is no ID token: its audience is a URL.
    /// - Throws: `ServiceError.overloaded` when the queue of signatures is full.
    func issueBlockingFunctionEvent(_ claims: BlockingFunctionEventClaims) async throws -> String {
        let key = try keys.active(.idToken, at: claims.issuedAt)
        return try await sign(try claims.payload(), key, includesType: true)
    }

    /// The payload of an ID token that was verified before.
    static func payload(of idToken: String) throws -> [String: JSONValue] {
        let parts = idToken.pieces(at: ".")
        guard parts.count == 3, let payload = parts.dropFirst().first.flatMap({ Base64URL.decode($0) }) else {
            throw ServiceError(.invalidIDToken)
        }
        return try WireJSON.decodeUnchecked([String: JSONValue].self, from: Data(payload))
    }

    private func sign(_ payload: Data, _ key: SigningKey, includesType: Bool) async throws -> String {
        do {
            return try await pool.run {
                try JWT.sign(claims: payload, keyID: key.id.rawValue, with: key.privateKey, includesType: includesType)
            }
        } catch is BlockingPool.OverloadedError {
            throw ServiceError.overloaded
        }
    }

    /// Verifies a token that identity has signed. The header is compared, not parsed: only the exact bytes that
    /// identity writes select a key, so `alg` and `kid` of a caller have no effect.
    /// - Throws: `invalidIDToken`, and errors of the database.
    func verify(_ token: String) async throws -> IDTokenClaims {
        let bytes = Array(token.utf8)
        guard bytes.count <= Self.maximumBytes else { throw ServiceError(.invalidIDToken) }
        let digest = SHA2.sha256(bytes)
        if let claims = keys.verified(digest) { return claims }
        guard let (signed, signatureText) = token.lastHalves(at: "."),
            case let (header, payloadText?) = signed.halves(at: "."), let payload = Base64URL.decode(payloadText),
            let signature = Base64URL.decode(signatureText),
            let isPublic = try await isPublic(signed, header: header, signature)
        else { throw ServiceError(.invalidIDToken) }
        let claims = try IDTokenClaims(payload: Data(payload))
        guard isUnsigned || (claims.authentication.scope == .full) == isPublic else {
            throw ServiceError(.invalidIDToken)
        }
        keys.cache(claims, digest)
        return claims
    }

    /// Whether a published key verifies this signature, as that of a token of scope `full` and of no other; nil if the
    /// signature is invalid.
    private func isPublic(_ input: Substring, header: Substring, _ signature: [UInt8]) async throws -> Bool? {
        let header = String(header)
        guard !isUnsigned else { return signature.isEmpty && header == JWT.unsignedHeader ? true : nil }
        if header == JWT.authenticatedHeader {
            let expected = HMAC.sha256(key: keys.enrollmentTokenKey, message: Array(input.utf8))
            return constantTimeEquals(expected, signature) ? false : nil
        }
        guard let key = try await keys.verificationKey(header: header, .idToken) else { return nil }
        return key.isValid(signature: signature, for: Array(input.utf8), .rs256) ? true : nil
    }
}

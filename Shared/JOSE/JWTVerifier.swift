package import Crypto
package import FoundationEssentials
package import Vocabulary

/// Verifies tokens (RFC 8725; OpenID Connect Core §3.1.3.7). A value that contains keys and settings.
package struct JWTVerifier: Sendable {
    package var keys: JWKSet
    package var algorithms: Set<SignatureAlgorithm>
    /// Compared character by character.
    package var issuers: Set<String>
    /// The accepted audiences. A token for another audience is rejected, even with a valid signature.
    package var audiences: Set<String>
    /// The maximum difference between the clocks of issuer and verifier, in both directions.
    package var clockToleranceSeconds: Int64
    /// The nonce of the request that led to the token, if there was one.
    package var nonce: String?
    /// Accepts a token with one audience that another client of the issuer has requested (`azp`): Google's libraries
    /// for mobile devices request tokens for the server of the application.
    package var allowsOtherPresenters = false

    package init(
        keys: JWKSet, algorithms: Set<SignatureAlgorithm> = [.rs256], issuers: Set<String>, audiences: Set<String>,
        clockToleranceSeconds: Int64 = 60, nonce: String? = nil
    ) {
        self.keys = keys
        self.algorithms = algorithms
        self.issuers = issuers
        self.audiences = audiences
        self.clockToleranceSeconds = clockToleranceSeconds
        self.nonce = nonce
    }

    /// Verifies form, type, key and signature first, and then the claims.
    package func verify(_ compact: String, at now: Timestamp) throws(JWTError) -> VerifiedJWT {
        let token = try UnverifiedJWT(compact)
        try token.checkSignature(with: keys, algorithms: algorithms)
        let claims = try token.claims(as: RegisteredClaims.self)
        try check(claims, at: now)
        return VerifiedJWT(token: token, claims: claims)
    }

    private func check(_ claims: RegisteredClaims, at now: Timestamp) throws(JWTError) {
        guard issuers.contains(claims.issuer) else { throw .wrongIssuer }
        try checkAudience(of: claims)
        // OpenID Connect Core §2: at most 255 ASCII characters.
        guard (1...255).contains(claims.subject.utf8.count) else { throw .invalidSubject }
        guard claims.expiresAt > now - clockToleranceSeconds else { throw .expired }
        let latest = now + clockToleranceSeconds
        for moment in [claims.issuedAt, claims.notBefore, claims.authenticatedAt].compactMap(\.self)
        where moment > latest {
            throw .notYetValid
        }
        if let nonce {
            guard constantTimeEquals(Array((claims.nonce ?? "").utf8), Array(nonce.utf8)) else { throw .wrongNonce }
        }
    }

    /// A token with several audiences must contain `azp` (OpenID Connect Core §3.1.3.7, 4 and 5).
    private func checkAudience(of claims: RegisteredClaims) throws(JWTError) {
        guard !audiences.isDisjoint(with: claims.audiences) else { throw .wrongAudience }
        guard claims.audiences.count == 1 || claims.authorizedParty != nil else { throw .wrongAudience }
        if allowsOtherPresenters, claims.audiences.count == 1 { return }
        guard claims.authorizedParty.map(audiences.contains) ?? true else { throw .wrongAudience }
    }
}

/// A token that passed a `JWTVerifier`.
package struct VerifiedJWT: Sendable {
    package let issuer: String
    /// 1 to 255 bytes.
    package let subject: String
    package let audiences: [String]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    /// The time of the user's last authentication, if the issuer states it.
    package let authenticatedAt: Timestamp?
    private let token: UnverifiedJWT

    init(token: UnverifiedJWT, claims: RegisteredClaims) {
        self.token = token
        issuer = claims.issuer
        subject = claims.subject
        audiences = claims.audiences
        issuedAt = claims.issuedAt
        expiresAt = claims.expiresAt
        authenticatedAt = claims.authenticatedAt
    }

    /// All claims as JSON.
    package var claims: Data { token.claims }

    /// Decodes claims into the caller's type.
    /// - Throws: `JWTError.malformed` if a claim is missing or has another type.
    package func claims<Value: Decodable>(as type: Value.Type = Value.self) throws(JWTError) -> Value {
        try token.claims(as: type)
    }
}

import Foundation
import LatchkeyAuth

/// What a token must say to be accepted: values, without keys and without a clock.
struct TokenRules: Sendable {
    /// The tokens of the server that a backend accepts (docs/use/tokens.md, sections 2 and 5).
    enum Kind: Sendable {
        case idToken
        case sessionCookie
    }

    let kind: Kind
    let projectID: String
    /// The accepted difference of the clocks, in both directions.
    let clockToleranceSeconds: Int

    /// Verifies signature and claims, in this order: nothing of the claims is read before.
    /// - Throws: `IDTokenVerificationError`.
    func verify(_ token: CompactToken, with key: RSAPublicKey, tenant: ExpectedTenant, at now: Date)
        throws(IDTokenVerificationError) -> VerifiedIDToken
    {
        guard key.isValidSignature(token.signature, for: token.signingInput) else { throw .badSignature }
        return try verifiedToken(token.payload, tenant: tenant, at: now)
    }

    /// The token with this payload, whose signature is verified.
    func verifiedToken(_ payload: Data, tenant: ExpectedTenant, at now: Date)
        throws(IDTokenVerificationError) -> VerifiedIDToken
    {
        // `try?`: another shape is malformed.
        guard let claims = try? JSONDecoder().decode(IDTokenClaims.self, from: payload),
            let all = JSONObject(payload)?.members
        else { throw .malformed }
        try check(claims, tenant: tenant, at: now.timeIntervalSince1970)
        return VerifiedIDToken(claims, claims: all, payload: payload)
    }

    private func check(_ claims: IDTokenClaims, tenant: ExpectedTenant, at now: TimeInterval)
        throws(IDTokenVerificationError)
    {
        guard claims.iss == issuer else { throw .wrongIssuer }
        guard claims.aud == projectID else { throw .wrongAudience }
        guard (1...128).contains(claims.sub.unicodeScalars.count) else { throw .missingSubject }
        let tolerance = TimeInterval(clockToleranceSeconds)
        guard now < claims.exp + tolerance else { throw .expired }
        guard max(claims.iat, claims.authTime) <= now + tolerance else { throw .issuedInFuture }
        let isExpectedTenant =
            switch tenant {
            case .absent: claims.firebase.tenant == nil
            case .id(let id): claims.firebase.tenant == id
            case .any: true
            }
        guard isExpectedTenant else { throw .tenantMismatch }
    }

    private var issuer: String {
        switch kind {
        case .idToken: "https://securetoken.google.com/\(projectID)"
        case .sessionCookie: "https://session.firebase.google.com/\(projectID)"
        }
    }

    /// The JWK set below the URL of the server (docs/use/tokens.md, section 6).
    var keyPath: String {
        switch kind {
        case .idToken: "www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        case .sessionCookie: "identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys"
        }
    }
}

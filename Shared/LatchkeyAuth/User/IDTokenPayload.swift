import Foundation

/// The claims of an ID token, not verified: the server verifies each token that it receives.
struct IDTokenPayload: Sendable {
    let claims: [String: any Sendable]

    /// - Throws: `AuthErrorCode.malformedJWT` unless the text is a JWS in compact form with a JSON object (RFC 7515 7.1).
    init(_ token: String) throws(AuthErrorCode) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = parts.dropFirst().first.flatMap({ Data(base64URL: $0) }),
            let claims = JSONObject(payload)?.members
        else { throw AuthErrorCode(.malformedJWT) }
        self.claims = claims
    }

    /// Seconds from issue to expiry; nil if the token does not say.
    var lifetime: TimeInterval? {
        guard let issuedAt = date("iat"), let expiresAt = date("exp") else { return nil }
        return expiresAt.timeIntervalSince(issuedAt)
    }

    func date(_ claim: String) -> Date? {
        (claims[claim] as? Double ?? (claims[claim] as? Int).map(Double.init)).map(Date.init(timeIntervalSince1970:))
    }

    /// A text of the claim `firebase`.
    func firebaseText(_ name: String) -> String? { (claims["firebase"] as? [String: any Sendable])?[name] as? String }
}

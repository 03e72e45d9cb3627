import Contracts
import Crypto
import FoundationEssentials
import HTTPClient

/// Sign in with LinkedIn, by OpenID Connect.
struct LinkedInAdapter: ProviderAdapter {
    private static let server = "https://www.linkedin.com/oauth"

    var description: ProviderDescription {
        ProviderDescription(
            // LinkedIn ignores the nonce of a request.
            idTokens: IDTokenSource(
                issuer: .anyOf([Self.server]), keySetURL: "\(Self.server)/openid/jwks", algorithms: [.rs256],
                requiredNonce: .never),
            // It answers `invalid_client` to a code verifier, unless it has enabled PKCE for an application without a secret.
            authorization: AuthorizationServer(
                authorizationURL: "\(Self.server)/v2/authorization", tokenURL: "\(Self.server)/v2/accessToken",
                scopes: ["openid", "profile", "email"], usesPKCE: false))
    }

    /// LinkedIn provides no mailboxes, so its word about an address counts in no domain, as that of an OpenID provider outside
    /// its authoritative domains. The claim `email_verified` stays visible among those of the provider.
    func email(_ claims: ProviderClaims) -> EmailAssertion { EmailAssertion(address: claims.email) }

    func user(of token: AccessToken, through client: ProviderClient) async throws(ServiceError) -> ProviderUser {
        let provider = token.provider
        let form = [
            ("client_id", provider.clientID), ("client_secret", try provider.requiredClientSecret()),
            ("token", token.text),
        ]
        // A token of another application must not sign in here.
        let confirmation = try await client.replyForAccessToken(
            to: .init(
                .post, "\(Self.server)/v2/introspectToken", headers: [FormText.contentType],
                body: Data(FormText.encoded(form).utf8)))
        guard let claims = ProviderClaims(json: confirmation), claims.flag("active"),
            claims.text("client_id") == provider.clientID
        else { throw ServiceError(.invalidProviderResponse, "The access token belongs to another client.") }
        let json = try await client.replyForAccessToken(
            to: .init(
                .get, "https://api.linkedin.com/v2/userinfo", headers: [("Authorization", "Bearer \(token.text)")]))
        return try ProviderUser(of: provider.id, json: json) { $0.text("sub") }
    }
}

import Contracts
import Crypto
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Google: ID tokens, and access tokens that its endpoints confirm.
struct GoogleAdapter: ProviderAdapter {
    var description: ProviderDescription {
        ProviderDescription(
            idTokens: IDTokenSource(
                issuer: .anyOf(["https://accounts.google.com", "accounts.google.com"]),
                keySetURL: "https://www.googleapis.com/oauth2/v3/certs", algorithms: [.rs256],
                allowsOtherPresenters: true),
            authorization: AuthorizationServer(
                authorizationURL: "https://accounts.google.com/o/oauth2/v2/auth",
                tokenURL: "https://oauth2.googleapis.com/token", scopes: ["openid", "email", "profile"]))
    }

    var mobileClientID: (@Sendable (ProjectConfiguration.MobileApp) -> String?)? { { $0.clientId } }

    /// Google decides about its own domains, and about those that its customers manage there (`hd`).
    func email(_ claims: ProviderClaims) -> EmailAssertion {
        EmailAssertion(claims.email, isVerified: claims.flag("email_verified")) {
            ["gmail.com", "googlemail.com"].contains($0.domain) || claims.text("hd") != nil
        }
    }

    func user(of token: AccessToken, through client: ProviderClient) async throws(ServiceError) -> ProviderUser {
        // A token of another application must not sign in here.
        let confirmation = try await client.replyForAccessToken(
            to: .init(.get, "\(Self.api)/tokeninfo?access_token=\(PercentEncoding.encoded(token.text))"))
        guard let audience = ProviderClaims(json: confirmation)?.text("aud"), token.audiences.contains(audience) else {
            throw ServiceError(.invalidProviderResponse, "The access token belongs to another client.")
        }
        let json = try await client.replyForAccessToken(
            to: .init(.get, "\(Self.api)/userinfo", headers: [("Authorization", "Bearer \(token.text)")]))
        return try ProviderUser(of: token.provider.id, json: json) { $0.text("sub") }
    }

    private static let api = "https://www.googleapis.com/oauth2/v3"
}

import Contracts
import Crypto
import FoundationEssentials
import HTTPClient
import JSON
import Vocabulary

/// Facebook Login: the ID tokens of Limited Login, and classic access tokens (security rule FE14).
struct FacebookAdapter: ProviderAdapter {
    /// The version of the Graph API.
    private static let version = "v23.0"

    var description: ProviderDescription {
        ProviderDescription(
            idTokens: IDTokenSource(
                issuer: .anyOf(["https://www.facebook.com", "https://limited.facebook.com"]),
                keySetURL: "https://limited.facebook.com/.well-known/oauth/openid/jwks/", algorithms: [.rs256],
                // Security rule FE15.
                requiredNonce: .always),
            authorization: AuthorizationServer(
                authorizationURL: "https://www.facebook.com/\(Self.version)/dialog/oauth",
                tokenURL: "https://graph.facebook.com/\(Self.version)/oauth/access_token",
                scopes: ["public_profile", "email"]))
    }

    /// Facebook does not say whether it has verified an address (security rule FE14).
    func email(_ claims: ProviderClaims) -> EmailAssertion { EmailAssertion(address: claims.email) }

    /// The Graph API has names of its own, and an object instead of the URL of the picture.
    func profile(of user: ProviderUser) -> Federation.ProviderProfile {
        var profile = Federation.ProviderProfile(user, email: email(user.claims))
        profile.firstName = user.claims.name("first_name") ?? profile.firstName
        profile.lastName = user.claims.name("last_name") ?? profile.lastName
        if case .object(let picture) = user.claims.members["picture"], case .object(let data) = picture["data"] {
            profile.identity.photoURL = ProviderClaims(data).url("url")
        }
        return profile
    }

    func user(of token: AccessToken, through client: ProviderClient) async throws(ServiceError) -> ProviderUser {
        let provider = token.provider
        let appSecret = try provider.requiredClientSecret()
        let debugged = try await get(
            "debug_token",
            [("input_token", token.text), ("access_token", "\(provider.clientID)|\(appSecret)")], through: client)
        let confirmed = try DebuggedToken(json: debugged, appID: provider.clientID)
        let proof = HMAC.sha256(key: Array(appSecret.utf8), message: Array(token.text.utf8)).hexadecimal
        let json = try await get(
            "me",
            [
                ("fields", "id,name,first_name,last_name,email,picture"), ("access_token", token.text),
                ("appsecret_proof", proof),
            ], through: client)
        var user = try ProviderUser(of: provider.id, json: json) { $0.text("id") }
        guard user.subject == confirmed.userID else {
            throw ServiceError(.invalidProviderResponse, "The access token belongs to another user.")
        }
        user.accessTokenExpiresAt = confirmed.expiresAt
        return user
    }

    private func get(
        _ name: String, _ items: [(name: String, value: String)], through client: ProviderClient
    ) async throws(ServiceError) -> Data {
        let url = "https://graph.facebook.com/\(Self.version)/\(name)?\(FormText.encoded(items))"
        return try await client.replyForAccessToken(to: .init(.get, url))
    }
}

/// The reply of Facebook's `debug_token`: whether a user access token is valid, and for which app.
struct DebuggedToken: Equatable, Sendable {
    var userID: String
    /// Nil: the token does not expire.
    var expiresAt: Timestamp?

    /// - Throws: `invalidProviderResponse` for a token that is not a valid user token of `appID` (security rule FE14).
    init(json: Data, appID: String) throws(ServiceError) {
        guard case .object(let data) = ProviderClaims(json: json)?.members["data"],
            case let content = ProviderClaims(data), content.flag("is_valid")
        else { throw ServiceError(.invalidProviderResponse, "The access token is invalid.") }
        guard content.text("app_id") == appID, content.text("type") ?? "USER" == "USER" else {
            throw ServiceError(.invalidProviderResponse, "The access token belongs to another app.")
        }
        guard let userID = content.text("user_id"), userID.utf8.count <= 255 else {
            throw ServiceError(.invalidProviderResponse, "The access token belongs to no user.")
        }
        self.userID = userID
        // Zero: it does not expire.
        if case .integer(let seconds) = content.members["expires_at"], seconds > 0 {
            expiresAt = Timestamp(seconds: seconds)
        }
    }
}

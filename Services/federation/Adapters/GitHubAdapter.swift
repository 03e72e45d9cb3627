import Contracts
import FoundationEssentials
import HTTPClient
import JSON
import Vocabulary

/// GitHub, which has access tokens only: its REST API says who the user is.
struct GitHubAdapter: ProviderAdapter {
    var description: ProviderDescription {
        ProviderDescription(
            idTokens: nil,
            authorization: AuthorizationServer(
                authorizationURL: "https://github.com/login/oauth/authorize",
                tokenURL: "https://github.com/login/oauth/access_token", scopes: ["read:user", "user:email"]))
    }

    /// GitHub verifies addresses, and provides mailboxes only under its own domain.
    func email(_ claims: ProviderClaims) -> EmailAssertion {
        EmailAssertion(claims.email, isVerified: claims.flag("email_verified")) {
            $0.domain == "users.noreply.github.com"
        }
    }

    func profile(of user: ProviderUser) -> Federation.ProviderProfile {
        var profile = Federation.ProviderProfile(user, email: email(user.claims))
        profile.screenName = user.claims.name("login") ?? profile.screenName
        profile.identity.photoURL = user.claims.url("avatar_url") ?? profile.identity.photoURL
        return profile
    }

    func user(of token: AccessToken, through client: ProviderClient) async throws(ServiceError) -> ProviderUser {
        let provider = token.provider
        let secret = try provider.requiredClientSecret()
        // A token of another application must not sign in here: GitHub confirms the application first.
        let credentials = Data("\(provider.clientID):\(secret)".utf8).base64EncodedString()
        _ = try await client.replyForAccessToken(
            to: .init(
                .post, "\(Self.api)/applications/\(PercentEncoding.encoded(provider.clientID))/token",
                headers: Self.headers + [
                    ("Authorization", "Basic \(credentials)"), ("Content-Type", "application/json"),
                ], body: Data(#"{"access_token":"\#(token.text)"}"#.utf8)))
        let headers = Self.headers + [("Authorization", "Bearer \(token.text)")]
        let json = try await client.replyForAccessToken(to: .init(.get, "\(Self.api)/user", headers: headers))
        var user = try ProviderUser(of: provider.id, json: json, subject: Self.id)
        let emails = try await client.send(.init(.get, "\(Self.api)/user/emails", headers: headers), .api)
        // Refused without the scope `user:email`; then only the public address is known, and it is verified.
        var members: [String: JSONValue] = ["email_verified": .bool(true)]
        if emails.status == 200, let primary = Self.primaryEmail(json: emails.body) {
            members = ["email": .string(primary.address.rawValue), "email_verified": .bool(primary.isVerified)]
        }
        user.claims = ProviderClaims(user.claims.members.merging(members) { $1 })
        return user
    }

    private static let api = "https://api.github.com"
    private static let headers = [
        (name: "Accept", value: "application/vnd.github+json"), (name: "User-Agent", value: "latchkey"),
    ]

    private static func id(_ claims: ProviderClaims) -> String? {
        guard case .integer(let id) = claims.members["id"], id > 0 else { return nil }
        return String(id)
    }

    /// The primary address among the addresses of the user.
    /// - Returns: nil for a malformed reply, and without a primary address.
    static func primaryEmail(json: Data) -> (address: EmailAddress, isVerified: Bool)? {
        struct Entry: Decodable {
            var email: String
            var primary: Bool
            var verified: Bool
        }
        // `try?`: a sign-in needs no address.
        guard let entries = try? WireJSON.decode([Entry].self, from: json),
            let primary = entries.first(where: \.primary), let address = EmailAddress(primary.email)
        else { return nil }
        return (address, primary.verified)
    }
}

import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// GitHub's REST API: the user of an access token.
struct GitHubAPI: Sendable {
    let client: ProviderClient

    /// - Parameter accessToken: without quotes and control characters.
    /// - Throws: `invalidProviderResponse`, `providerUnavailable`, `providerDisabled` without a client secret.
    func user(
        of accessToken: String, clientID: String, clientSecret: String?
    ) async throws(ServiceError) -> (user: GitHubUser, email: EmailAssertion) {
        guard let clientSecret else { throw ServiceError(.providerDisabled, "github.com has no client secret") }
        // A token of another application must not sign in here: GitHub confirms the application first.
        let body = Data(#"{"access_token":"\#(accessToken)"}"#.utf8)
        let credentials = Data("\(clientID):\(clientSecret)".utf8).base64EncodedString()
        try await require(
            HTTPClientRequest(
                .post, "https://api.github.com/applications/\(PercentEncoding.encoded(clientID))/token",
                headers: Self.headers + [
                    ("Authorization", "Basic \(credentials)"), ("Content-Type", "application/json"),
                ], body: body))
        let headers = Self.headers + [("Authorization", "Bearer \(accessToken)")]
        let user = try GitHubUser(
            json: try await require(HTTPClientRequest(.get, "https://api.github.com/user", headers: headers)))
        let emails = try await client.send(
            HTTPClientRequest(.get, "https://api.github.com/user/emails", headers: headers), .api)
        // Refused without the scope `user:email`; then only the public address is known, and it is verified.
        guard emails.status == 200, let primary = GitHubUser.primaryEmail(json: emails.body) else {
            return (user, .gitHub(user.claims.email, isVerified: true))
        }
        return (user, .gitHub(primary.address, isVerified: primary.isVerified))
    }

    private static let headers = [
        (name: "Accept", value: "application/vnd.github+json"), (name: "User-Agent", value: "latchkey"),
    ]

    @discardableResult
    private func require(_ request: HTTPClientRequest) async throws(ServiceError) -> Data {
        let response = try await client.send(request, .api)
        guard response.status == 200 else {
            throw ServiceError(.invalidProviderResponse, "The provider refused the access token.")
        }
        return response.body
    }
}

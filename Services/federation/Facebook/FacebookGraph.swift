import Contracts
import Crypto
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Facebook's Graph API: the user of a classic access token (security rule FE14).
struct FacebookGraph: Sendable {
    let client: ProviderClient

    private static let baseURL = "https://graph.facebook.com/\(Federation.SupportedProvider.graphVersion)"

    /// - Throws: `invalidProviderResponse`, `providerUnavailable`, `providerDisabled` without an app secret.
    func user(
        of accessToken: String, appID: String, appSecret: String?
    ) async throws(ServiceError) -> (token: DebuggedToken, user: GraphUser) {
        guard let appSecret else { throw ServiceError(.providerDisabled, "facebook.com has no client secret") }
        let debugged = try await get(
            "/debug_token", [("input_token", accessToken), ("access_token", "\(appID)|\(appSecret)")])
        let token = try DebuggedToken(json: debugged, appID: appID)
        let proof = HMAC.sha256(key: Array(appSecret.utf8), message: Array(accessToken.utf8)).hexadecimal
        let user = try await get(
            "/me",
            [
                ("fields", "id,name,first_name,last_name,email,picture"), ("access_token", accessToken),
                ("appsecret_proof", proof),
            ])
        return (token, try GraphUser(json: user, userID: token.userID))
    }

    private func get(_ path: String, _ items: [(name: String, value: String)]) async throws(ServiceError) -> Data {
        let request = HTTPClientRequest(.get, "\(Self.baseURL)\(path)?\(FormText.encoded(items))")
        let response = try await client.send(request, .api)
        guard response.status == 200 else {
            throw ServiceError(.invalidProviderResponse, "The provider refused the access token.")
        }
        return response.body
    }
}

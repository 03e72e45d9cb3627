import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Google's endpoints for access tokens.
struct GoogleUserInfo: Sendable {
    let client: ProviderClient

    /// The claims of the user of an access token.
    /// - Throws: `invalidProviderResponse`, `providerUnavailable`.
    func user(
        of accessToken: String, audiences: Set<String>
    ) async throws(ServiceError) -> (subject: String, claims: ProviderClaims, json: String) {
        // A token of another application must not sign in here.
        let token = try await get("https://www.googleapis.com/oauth2/v3/tokeninfo?access_token=", accessToken, nil)
        guard let audience = ProviderClaims(json: token)?.text("aud"), audiences.contains(audience) else {
            throw ServiceError(.invalidProviderResponse, "The access token belongs to another client.")
        }
        let json = try await get("https://www.googleapis.com/oauth2/v3/userinfo", nil, accessToken)
        guard let claims = ProviderClaims(json: json), let subject = claims.text("sub"), subject.utf8.count <= 255
        else {
            throw ServiceError(.invalidProviderResponse, "The reply of the provider is malformed.")
        }
        return (subject, claims, String(decoding: json, as: UTF8.self))
    }

    private func get(
        _ url: String, _ query: String?, _ bearer: String?
    ) async throws(ServiceError) -> Data {
        let request = HTTPClientRequest(
            .get, url + PercentEncoding.encoded(query ?? ""),
            headers: bearer.map { [("Authorization", "Bearer \($0)")] } ?? [])
        let response = try await client.send(request, .api)
        guard response.status == 200 else {
            throw ServiceError(.invalidProviderResponse, "The provider refused the access token.")
        }
        return response.body
    }
}

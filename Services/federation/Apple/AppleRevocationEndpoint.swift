import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Apple's endpoint that revokes tokens (Sign in with Apple REST API, "Revoke tokens"; RFC 7009).
struct AppleRevocationEndpoint: FederationComponent {
    let context: FederationContext

    /// The values of `token_type_hint`.
    enum TokenType: String, Sendable {
        case refreshToken = "refresh_token", accessToken = "access_token"
    }

    private static let url = "https://appleid.apple.com/auth/revoke"

    /// - Throws: `invalidProviderResponse`, `providerUnavailable`, `providerDisabled` without a signing key.
    func revoke(
        _ token: String, _ type: TokenType, of provider: Federation.Provider
    ) async throws(ServiceError) {
        let items: [(name: String, value: String)] = [
            ("client_id", provider.clientID),
            ("client_secret", try AppleClientSecret.sign(for: provider, at: now().timestamp)), ("token", token),
            ("token_type_hint", type.rawValue),
        ]
        let request = HTTPClientRequest(
            .post, Self.url, headers: [FormText.contentType], body: Data(FormText.encoded(items).utf8))
        let response = try await client.send(request, .api)
        guard response.status == 200 else {
            throw .providerError(ProviderClaims(json: response.body)?.text("error") ?? "")
        }
    }
}

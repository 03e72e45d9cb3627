import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Exchanges authorization codes at the token endpoints of providers (RFC 6749 4.1.3).
struct TokenEndpoint: FederationComponent {
    let context: FederationContext

    /// - Parameters:
    ///   - redirectURL: nil for a code that was issued without one, to a native application.
    ///   - codeVerifier: of PKCE; nil if the sign-in was not started here.
    /// - Throws: `invalidProviderResponse`, `providerUnavailable`, `providerDisabled`.
    func exchange(
        _ code: String, redirectURL: String?, codeVerifier: String?, of provider: Federation.Provider,
        at server: AuthorizationServer
    ) async throws(ServiceError) -> TokenResponse {
        guard let url = server.tokenURL else {
            throw ServiceError(.providerUnavailable, "The provider has no token endpoint.")
        }
        var items: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", provider.clientID),
        ]
        if let redirectURL { items.append(("redirect_uri", redirectURL)) }
        if server.usesPKCE, let codeVerifier { items.append(("code_verifier", codeVerifier)) }
        var headers = [FormText.contentType, (name: "Accept", value: "application/json")]
        switch server.clientAuthentication {
        case .appleKey:
            items.append(("client_secret", try AppleClientSecret.sign(for: provider, at: now().timestamp)))
        case .secretInForm:
            if let secret = provider.clientSecret { items.append(("client_secret", secret.reveal())) }
        case .secretInHeader:
            if let secret = provider.clientSecret {
                // RFC 6749 2.3.1: both are form-encoded first.
                let pair = [provider.clientID, secret.reveal()].map { PercentEncoding.encoded($0) }
                let credentials = Data(pair.joined(separator: ":").utf8).base64EncodedString()
                headers.append(("Authorization", "Basic \(credentials)"))
            }
        }
        let request = HTTPClientRequest(
            .post, url, headers: headers, body: Data(FormText.encoded(items).utf8), usesFreshConnection: true)
        let response = try await client.send(request, .api)
        return try TokenResponse(json: response.body, status: response.status)
    }
}

import Contracts
import FoundationEssentials
import JSON

/// The reply of a token endpoint (RFC 6749 5.1).
struct TokenResponse: Equatable, Sendable {
    var idToken: String?
    var accessToken: String?
    var refreshToken: String?
    var expiresInSeconds: Int?
    var scopes: String?

    /// - Throws: `invalidProviderResponse`. Only known error codes are repeated (security rule FE18).
    init(json: Data, status: Int) throws(ServiceError) {
        guard let claims = ProviderClaims(json: json) else {
            throw ServiceError(.invalidProviderResponse, "The reply of the provider is malformed.")
        }
        // GitHub reports errors with the status 200.
        guard status == 200, claims.text("error") == nil else {
            throw .providerError(claims.text("error") ?? "")
        }
        idToken = claims.text("id_token")
        accessToken = claims.text("access_token")
        refreshToken = claims.text("refresh_token")
        scopes = claims.text("scope")
        switch claims.members["expires_in"] {
        case .integer(let seconds) where seconds > 0: expiresInSeconds = Int(seconds)
        // Some providers write a text.
        case .string(let text): expiresInSeconds = Int(text).flatMap { $0 > 0 ? $0 : nil }
        case .integer, .null, .bool, .number, .array, .object, nil: expiresInSeconds = nil
        }
    }
}

extension ServiceError {
    /// The codes of RFC 6749 4.1.2.1 and 5.2, OpenID Connect Core 3.1.2.6, and Apple.
    private static let knownCodes: Set<String> = [
        "access_denied", "account_selection_required", "consent_required", "interaction_required", "invalid_client",
        "invalid_grant", "invalid_request", "invalid_scope", "login_required", "server_error",
        "temporarily_unavailable", "unauthorized_client", "unsupported_grant_type", "unsupported_response_type",
        "user_cancelled_authorize",
    ]

    /// An error that the provider reports.
    /// - Parameter code: as the provider wrote it.
    static func providerError(_ code: String) -> ServiceError {
        ServiceError(
            .invalidProviderResponse,
            knownCodes.contains(code) ? "The provider reports \(code)." : "The provider reports an error.")
    }
}

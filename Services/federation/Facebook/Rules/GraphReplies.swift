import Contracts
import FoundationEssentials
import JSON
import Vocabulary

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

/// The reply of Facebook's `me`.
struct GraphUser: Equatable, Sendable {
    var claims: ProviderClaims
    var json: String

    /// - Throws: `invalidProviderResponse` for another user than the one of the token.
    init(json: Data, userID: String) throws(ServiceError) {
        guard let claims = ProviderClaims(json: json), claims.text("id") == userID else {
            throw ServiceError(.invalidProviderResponse, "The access token belongs to another user.")
        }
        self.claims = claims
        self.json = String(decoding: json, as: UTF8.self)
    }

    /// Of the member `picture`.
    var photoURL: String? {
        guard case .object(let picture) = claims.members["picture"], case .object(let data) = picture["data"] else {
            return nil
        }
        return ProviderClaims(data).url("url")
    }
}

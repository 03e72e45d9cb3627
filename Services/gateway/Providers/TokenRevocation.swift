import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// The revocation of Apple's tokens (REST 3.7). Federation sends it to Apple.
    static let tokenRevocation = Route(.post, .v2("accounts:revokeToken"), .v2, .client, rate: .signIn) { call in
        let body = try call.realmBody(RevokeTokenBody.self)
        _ = try await call.send(
            try body.fields.request(in: call.realm(body), bundleID: call.iOSBundleID), timeout: providerTimeout)
        return .json(RevokeTokenReply())
    }
}

private struct RevokeTokenBody: Decodable {
    var providerId: String?
    var tokenType: OptionalWireEnum<RevocableTokenType>?
    var token: String?
    /// The ID token of the user.
    var idToken: String?
    var redirectUri: String?

    /// - Throws: `missingProviderID`, `operationNotAllowed` for another provider, `invalidProviderResponse` without a
    ///   token or its type.
    func request(in realm: Realm, bundleID: String?) throws(ServiceError) -> Federation.RevokeToken {
        guard let providerID = providerId.nilIfEmpty else { throw ServiceError(.missingProviderID) }
        guard providerID == Federation.SupportedProvider.apple.rawValue else {
            throw ServiceError(.operationNotAllowed, "Only tokens of apple.com can be revoked.")
        }
        guard let token = token.nilIfEmpty else { throw ServiceError(.invalidProviderResponse, "token is missing.") }
        guard let type = tokenType?.value else { throw ServiceError(.invalidProviderResponse, "tokenType is missing.") }
        return .init(
            realm: realm, tokenType: type.token, token: Secret(token), idToken: idToken.secret,
            redirectURL: redirectUri.nilIfEmpty, bundleID: bundleID)
    }
}

/// `tokenType`, in protocol-number order.
private enum RevocableTokenType: String, WireEnumeration {
    case refreshToken = "REFRESH_TOKEN", accessToken = "ACCESS_TOKEN", code = "CODE"

    var token: Federation.RevocableToken {
        switch self {
        case .refreshToken: .refreshToken
        case .accessToken: .accessToken
        case .code: .code
        }
    }
}

private struct RevokeTokenReply: Encodable {}

import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// The token endpoint of service accounts (RFC 6749 §5, RFC 7523 §2.1), on the admin listener: it exchanges a
    /// signed assertion for an access token, the bearer token of the admin API.
    static let accessTokens: [Route] = [
        Route(
            .post, [.init(.oauth, "/token"), .init(.googleAPIs, "/oauth2/v4/token")], .v2, .operations, rate: .refresh
        ) { call in
            let form = try RequestBody.form(from: call.request)
            guard let grantType = form["grant_type"].nilIfEmpty, let assertion = form["assertion"].nilIfEmpty else {
                return OAuthErrorReply(error: .invalidRequest, "grant_type and assertion are missing.").response
            }
            guard grantType == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
                return OAuthErrorReply(error: .unsupportedGrantType, "Service accounts bring a signed assertion.")
                    .response
            }
            do {
                let reply = try await call.send(
                    Identity.IssueAccessToken(
                        assertion: Secret(assertion), audiences: audiences(call), client: call.client))
                return .json(AccessTokenReply(reply))
            } catch let error as ServiceError where error.code == .invalidAssertion {
                return OAuthErrorReply(error: .invalidGrant, error.message ?? "The assertion is not acceptable.")
                    .response
            } catch let error as ServiceError where error.code == .invalidScope {
                return OAuthErrorReply(error: .invalidScope, "No scope of administration was asked for.").response
            }
        },
        // `firebase` sends FIREBASE_TOKEN as a refresh token, in a multipart body. After status 400 it uses the same
        // text as access token.
        Route(.post, [.init(.googleAPIs, "/oauth2/v3/token")], .v2, .operations) { _ in
            OAuthErrorReply(error: .unsupportedGrantType, "An access token is presented as it is.").response
        },
    ]

    /// The token-endpoint URLs of this installation. An assertion for another audience is rejected: its recipient could
    /// present it here.
    private static func audiences(_ call: Call) -> [String] {
        let own = [call.settings.adminURL, call.settings.publicURL].compactMap(\.self) + call.gateway.listenerOrigins
        return own.map { "\($0)/token" }
    }
}

private struct AccessTokenReply: Encodable {
    var accessToken: String
    var expiresIn: Int
    var tokenType = "Bearer"

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token", expiresIn = "expires_in", tokenType = "token_type"
    }

    init(_ reply: Identity.IssueAccessToken.Reply) {
        accessToken = reply.accessToken.reveal()
        expiresIn = reply.expiresInSeconds
    }
}

/// RFC 6749 §5.2: a different error format, which token libraries read.
struct OAuthErrorReply: Encodable, Error {
    enum Code: String, Encodable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case invalidScope = "invalid_scope"
        case unsupportedGrantType = "unsupported_grant_type"
        // Of RFC 6749 §4.1.2.1: the endpoint has no other words for them.
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
    }
    var error: Code
    var description: String

    enum CodingKeys: String, CodingKey { case error, description = "error_description" }

    init(error: Code, _ description: String) {
        self.error = error
        self.description = description
    }

    var response: HTTPResponse {
        switch error {
        case .invalidRequest, .invalidClient, .invalidGrant, .invalidScope, .unsupportedGrantType:
            .json(self, status: 400)
        case .serverError: .json(self, status: 500)
        case .temporarilyUnavailable: .json(self, status: 503)
        }
    }
}

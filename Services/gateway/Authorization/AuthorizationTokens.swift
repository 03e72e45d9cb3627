import Contracts
import HTTPServer
import Vocabulary

/// The token endpoint of registered applications: it redeems authorization codes (RFC 6749 §4.1.3), for clients without a
/// secret.
enum AuthorizationTokens {
    static let path = "/__/auth/token"

    static let routes: [Route] = [
        Route(.post, .local(path), .page, .unauthenticated, rate: .signIn) { call in
            var response: HTTPResponse
            var application: Identity.Application?
            do {
                response = try await redeem(call, &application)
            } catch let error as OAuthErrorReply {
                response = error.response
            } catch let error as ServiceError {
                response = OAuthErrorReply(error).response
                response.retry(after: error)
            }
            response.headers.append(("Vary", "Origin"))
            // Only a page of the application may read the tokens (security rule HT5). Its request is a simple one, so no
            // preflight asks before it.
            if let origin = call.request.headers["origin"], application?.registration.allows(origin: origin) == true {
                response.headers.append(("Access-Control-Allow-Origin", origin))
            }
            return response
        }
    ]

    private static func redeem(
        _ call: Call, _ application: inout Identity.Application?
    ) async throws -> HTTPResponse {
        guard let grant = AuthorizationGrant(form: try form(of: call)) else {
            throw OAuthErrorReply(
                error: .invalidRequest, "client_id, code, redirect_uri or code_verifier is missing.")
        }
        let known = try await call.application(of: grant)
        application = known
        guard call.isFromPage(of: known) else {
            throw OAuthErrorReply(error: .invalidRequest, "The application has not registered this origin.")
        }
        return .json(AuthorizationTokenReply(try await call.redeem(grant, of: known)))
    }

    private static func form(of call: Call) throws -> [String: String] {
        guard RequestBody.mediaType(of: call.request) == "application/x-www-form-urlencoded",
            let form = try? RequestBody.form(from: call.request)  // Every reason is the same error.
        else { throw OAuthErrorReply(error: .invalidRequest, "The body is no form.") }
        guard form["grant_type"] == "authorization_code" else {
            throw OAuthErrorReply(error: .unsupportedGrantType, "grant_type is not authorization_code.")
        }
        return form
    }
}

extension Call {
    /// - Throws: `applicationNotFound`.
    func application(of grant: AuthorizationGrant) async throws -> Identity.Application {
        guard Realm.isIdentifier(grant.clientID) else { throw ServiceError(.applicationNotFound) }
        return try await send(Identity.ResolveApplication(id: ApplicationID(grant.clientID)))
    }

    /// Whether no page of others sends this request: such a page has no use for a code.
    func isFromPage(of application: Identity.Application) -> Bool {
        guard application.registration.kind == .web, let origin = request.headers["origin"] else { return true }
        return application.registration.allows(origin: origin)
    }

    func redeem(
        _ grant: AuthorizationGrant, of application: Identity.Application
    ) async throws -> Identity.RedeemAuthorizationCode.Reply {
        try await send(
            Identity.RedeemAuthorizationCode(
                project: application.project, code: Secret(grant.code), application: application.id,
                redirectURL: grant.redirectURL, verifier: Secret(grant.verifier), client: client))
    }
}

extension OAuthErrorReply {
    fileprivate init(_ error: ServiceError) {
        switch error.code {
        case .applicationNotFound: self.init(error: .invalidClient, "No application has this client_id.")
        case .invalidAuthorizationCode, .accountDisabled, .projectDisabled:
            self.init(error: .invalidGrant, "The code is not valid, or no longer.")
        case .unavailable, .overloaded, .deadlineExceeded:
            self.init(error: .temporarilyUnavailable, "Try again later.")
        default: self.init(error: .serverError, "The code could not be redeemed.")
        }
    }
}

extension HTTPResponse {
    fileprivate mutating func retry(after error: ServiceError) {
        if let seconds = error.retryAfterSeconds { headers.append(("Retry-After", "\(seconds)")) }
    }
}

/// RFC 6749 §5.1 and OpenID Connect Core §3.1.3.3. The ID token is the access token too, as at Secure Token.
private struct AuthorizationTokenReply: Encodable {
    var idToken: String
    var accessToken: String
    var refreshToken: String
    var expiresIn: Int
    var tokenType = "Bearer"
    var userID: String

    enum CodingKeys: String, CodingKey {
        case idToken = "id_token", accessToken = "access_token", refreshToken = "refresh_token"
        case expiresIn = "expires_in", tokenType = "token_type", userID = "user_id"
    }

    init(_ reply: Identity.RedeemAuthorizationCode.Reply) {
        idToken = reply.tokens.idToken.reveal()
        accessToken = idToken
        refreshToken = reply.tokens.refreshToken.reveal()
        expiresIn = reply.tokens.expiresInSeconds
        userID = reply.accountID.rawValue
    }
}

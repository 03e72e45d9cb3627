import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Secure Token (REST 3.8) and session cookies.
    static let tokens: [Route] = [
        Route(.post, [.init(.secureToken, "/v1/token")], .v2, .client, rate: .refresh) { call in
            let body = try TokenBody(call.request)
            switch body.grantType.nilIfEmpty {
            case nil: throw APIError(.missingGrantType)
            case "refresh_token"?: break
            default: throw APIError(.invalidGrantType)
            }
            let reply = try await call.send(
                Identity.RefreshSession(
                    project: call.project(), refreshToken: body.refreshToken.nilIfEmpty.map(Secret.init)))
            return call.json(TokenReply(reply), signedIn: reply.tokens)
        },
        Route(.post, .v1Realm(":createSessionCookie"), .v1, .administrator) { call in
            let body = try call.administratorRealmBody(SessionCookieBody.self)
            let reply = try await call.send(
                Identity.CreateSessionCookie(
                    realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init),
                    lifetimeSeconds: body.validDuration?.value, client: call.client))
            return .json(SessionCookieReply(sessionCookie: reply.sessionCookie.reveal()))
        },
    ]
}

private struct SessionCookieBody: Decodable {
    var idToken: String?
    /// Seconds.
    var validDuration: WireInteger?
}

private struct SessionCookieReply: Encodable { var sessionCookie: String }

/// As a form or as JSON, both with either spelling of the names.
private struct TokenBody: Decodable {
    var grantType: String?
    var refreshToken: String?

    init(_ request: HTTPRequest) throws(APIError) {
        guard RequestBody.mediaType(of: request) == "application/x-www-form-urlencoded" else {
            self = try RequestBody.json(TokenBody.self, from: request)
            return
        }
        let form = try RequestBody.form(from: request)
        grantType = form["grant_type"] ?? form["grantType"]
        refreshToken = form["refresh_token"] ?? form["refreshToken"]
    }
}

/// In snake case, unlike the other replies.
private struct TokenReply: Encodable {
    var idToken: String
    var accessToken: String
    var refreshToken: String
    var expiresIn: String
    var tokenType = "Bearer"
    var userID: String
    var projectID: String

    enum CodingKeys: String, CodingKey {
        case idToken = "id_token", accessToken = "access_token", refreshToken = "refresh_token"
        case expiresIn = "expires_in", tokenType = "token_type", userID = "user_id", projectID = "project_id"
    }

    init(_ reply: Identity.RefreshSession.Reply) {
        idToken = reply.tokens.idToken.reveal()
        accessToken = idToken
        refreshToken = reply.tokens.refreshToken.reveal()
        expiresIn = String(reply.tokens.expiresInSeconds)
        userID = reply.accountID.rawValue
        projectID = reply.projectNumber
    }
}

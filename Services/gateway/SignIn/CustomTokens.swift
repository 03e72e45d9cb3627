import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Sign-in with a token that the operator's backend issued (REST 2.6).
    static let customTokens: [Route] = [
        Route(
            .post, .v1("accounts:signInWithCustomToken", v3: "verifyCustomToken"), .v1, .client, rate: .signIn
        ) { call in
            let body = try call.realmBody(CustomTokenBody.self)
            if let grant = body.token.flatMap({ AuthorizationGrant(customToken: $0) }) {
                let tokens = try await redeem(grant, in: call.realm(body).project, call)
                return call.json(CustomTokenReply(isNewUser: false), session: tokens)
            }
            let reply = try await call.send(
                Identity.SignInWithCustomToken(
                    realm: call.realm(body), token: body.token.nilIfEmpty.map(Secret.init), client: call.client),
                timeout: Call.signInTimeout)
            return call.json(CustomTokenReply(isNewUser: reply.isNewAccount), session: reply.tokens)
        }
    ]

    /// The session of an authorization code, for a library that takes one as a custom token only.
    /// - Throws: `invalidCustomToken`, and errors of the project.
    private static func redeem(
        _ grant: AuthorizationGrant, in project: ProjectID, _ call: Call
    ) async throws -> TokenSet {
        do {
            let application = try await call.application(of: grant)
            guard application.project == project, call.isFromPage(of: application) else {
                throw ServiceError(.invalidAuthorizationCode)
            }
            return try await call.redeem(grant, of: application).tokens
        } catch let error as ServiceError
            where error.code == .applicationNotFound || error.code == .invalidAuthorizationCode
        {
            throw ServiceError(.invalidCustomToken, "The authorization code is not valid, or no longer.")
        }
    }
}

private struct CustomTokenBody: Decodable {
    var token: String?
}

/// The only sign-in reply without `localId`.
private struct CustomTokenReply: Encodable {
    var kind = "identitytoolkit#VerifyCustomTokenResponse"
    var isNewUser: Bool
}

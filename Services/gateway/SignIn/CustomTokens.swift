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
            let reply = try await call.send(
                Identity.SignInWithCustomToken(
                    realm: call.realm(body), token: body.token.nilIfEmpty.map(Secret.init), client: call.client),
                timeout: Call.signInTimeout)
            return call.json(CustomTokenReply(isNewUser: reply.isNewAccount), session: reply.tokens)
        }
    ]
}

private struct CustomTokenBody: Decodable {
    var token: String?
}

/// The only sign-in reply without `localId`.
private struct CustomTokenReply: Encodable {
    var kind = "identitytoolkit#VerifyCustomTokenResponse"
    var isNewUser: Bool
}

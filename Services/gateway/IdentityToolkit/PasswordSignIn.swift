internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// Sign-in with e-mail and password (wire-protocol 2.2).
    static let passwordSignIn: [Route] = [
        Route(
            .post, .v1("accounts:signInWithPassword", v3: "verifyPassword"), .v1, .client, rate: .signIn
        ) { call in
            let body = try call.body(PasswordSignInBody.self)
            let reply = try await call.ask(
                Identity.SignInWithPassword(
                    realm: call.realm(body), email: body.email.nonEmpty,
                    password: body.password.nonEmpty.map(Secret.init), client: call.client))
            return .json(PasswordSignInReply(reply.account, reply.tokens))
        }
    ]
}

private struct PasswordSignInBody: Decodable, RealmNaming {
    var email: String?
    var password: String?
    var tenantId: String?
    var targetProjectId: String?
}

private struct PasswordSignInReply: Encodable {
    var kind = "identitytoolkit#VerifyPasswordResponse"
    var registered = true
    var localId: String
    var email: String?
    /// Always there, also empty.
    var displayName: String
    var profilePicture: String?
    var photoUrl: String?
    var idToken: String
    var refreshToken: String
    var expiresIn: String

    init(_ account: Account, _ tokens: TokenSet) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        displayName = account.displayName ?? ""
        profilePicture = account.photoURL
        photoUrl = account.photoURL
        idToken = tokens.idToken.reveal()
        refreshToken = tokens.refreshToken.reveal()
        expiresIn = String(tokens.expiresInSeconds)
    }
}

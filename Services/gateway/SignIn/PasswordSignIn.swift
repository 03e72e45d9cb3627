import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Sign-in with e-mail and password (REST 2.2).
    static let passwordSignIn: [Route] = [
        Route(
            .post, .v1("accounts:signInWithPassword", v3: "verifyPassword"), .v1, .client, rate: .signIn,
            hashesPassword: true
        ) { call in
            let body = try call.realmBody(PasswordSignInBody.self)
            if body.email?.isEmpty == true { throw ServiceError(.invalidEmail) }
            let reply = try await call.send(
                Identity.SignInWithPassword(
                    realm: call.realm(body), email: body.email.nilIfEmpty,
                    password: body.password.nilIfEmpty.map(Secret.init), client: call.client),
                timeout: Call.signInTimeout)
            return call.json(PasswordSignInReply(reply), session: reply.tokens, orPending: reply.secondFactor)
        }
    ]
}

private struct PasswordSignInBody: Decodable {
    var email: String?
    var password: String?
}

private struct PasswordSignInReply: Encodable {
    var kind = "identitytoolkit#VerifyPasswordResponse"
    var registered = true
    var localId: String
    var email: String?
    /// Always present, also when empty.
    var displayName: String
    var profilePicture: String?
    var photoUrl: String?

    init(_ reply: Identity.SignInWithPassword.Reply) {
        localId = reply.account.id.rawValue
        email = reply.account.email?.rawValue
        displayName = reply.account.displayName ?? ""
        profilePicture = reply.account.photoURL
        photoUrl = reply.account.photoURL
    }
}

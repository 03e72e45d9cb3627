internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// Sign-in with e-mail and password (REST 2.2).
    static let passwordSignIn: [Route] = [
        Route(
            .post, .v1("accounts:signInWithPassword", v3: "verifyPassword"), .v1, .client, rate: .signIn,
            hashesPassword: true
        ) { call in
            let body = try call.realmBody(PasswordSignInBody.self)
            if body.email?.isEmpty == true { throw WireError(.invalidEmail) }
            let reply = try await call.send(
                Identity.SignInWithPassword(
                    realm: call.realm(body), email: body.email.nilIfEmpty,
                    password: body.password.nilIfEmpty.map(Secret.init), client: call.client),
                timeout: Call.signInTimeout)
            return call.json(PasswordSignInReply(reply), signedIn: reply.tokens)
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
    var idToken: String?
    var refreshToken: String?
    var expiresIn: String?
    /// Clients check for the key: it is present exactly when a second factor is required.
    var mfaPendingCredential: String?
    var mfaInfo: [UserRecord.FactorInfo]?
    var recoveryCodesInfo: RecoveryCodesInfo?

    init(_ reply: Identity.SignInWithPassword.Reply) {
        localId = reply.account.id.rawValue
        email = reply.account.email?.rawValue
        displayName = reply.account.displayName ?? ""
        profilePicture = reply.account.photoURL
        photoUrl = reply.account.photoURL
        idToken = reply.tokens?.idToken.reveal()
        refreshToken = reply.tokens?.refreshToken.reveal()
        expiresIn = (reply.tokens?.expiresInSeconds).map { String($0) }
        mfaPendingCredential = reply.secondFactor?.pendingCredential.reveal()
        mfaInfo = reply.secondFactor?.factors.map(UserRecord.FactorInfo.masked)
        recoveryCodesInfo = RecoveryCodesInfo(reply.secondFactor)
    }
}

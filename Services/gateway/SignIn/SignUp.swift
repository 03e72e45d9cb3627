import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// New accounts: by clients (REST 2.1) and by administrators (4.1, 4.2).
    static let signUp: [Route] = [
        Route(.post, .v1("accounts:signUp", v3: "signupNewUser"), .v1, .client, rate: .signUp) { call in
            let body = try call.realmBody(SignUpBody.self)
            if call.isAdministrator && body.idToken.nilIfEmpty == nil { return try await create(call) }
            try body.fields.refuseAdminOnlyFields()
            // A client that sends an empty form expects a password account, not an anonymous one.
            if body.email?.isEmpty == true { throw ServiceError(.missingEmail) }
            if body.password?.isEmpty == true { throw ServiceError(.missingPassword) }
            let reply = try await call.send(
                Identity.SignUp(
                    realm: call.realm(body), email: body.email.nilIfEmpty,
                    password: body.password.nilIfEmpty.map(Secret.init),
                    displayName: body.displayName.nilIfEmpty, photoURL: body.photoUrl.nilIfEmpty,
                    linkIDToken: body.idToken.nilIfEmpty.map(Secret.init), locale: call.locale, client: call.client),
                timeout: Call.signInTimeout)
            return call.json(SignUpReply(reply.account, isOwn: true), session: reply.tokens)
        },
        Route(.post, .v1Realm("/accounts"), .v1, .administrator) { call in
            try await create(call)
        },
    ]

    private static func create(_ call: Call) async throws -> HTTPResponse {
        let body = try call.administratorRealmBody(SignUpBody.self)
        let reply = try await call.send(
            Identity.CreateAccount(
                realm: call.realm(body), accountID: body.localId.nilIfEmpty.map(AccountID.init),
                email: body.email.nilIfEmpty, emailVerified: body.emailVerified ?? false,
                password: body.password.nilIfEmpty.map(Secret.init), displayName: body.displayName.nilIfEmpty,
                photoURL: body.photoUrl.nilIfEmpty, phoneNumber: body.phoneNumber.nilIfEmpty,
                disabled: body.disabled ?? false,
                secondFactors: try body.mfaInfo.nilIfEmpty.map { bodies throws(APIError) in
                    try FactorBody.entries(bodies, at: "mfaInfo")
                }, client: call.client))
        return .json(SignUpReply(reply.account, isOwn: false))
    }
}

private struct SignUpBody: Decodable {
    var email: String?
    var password: String?
    var displayName: String?
    var photoUrl: String?
    /// The account that receives e-mail and password, instead of a new one.
    var idToken: String?
    // Administrators only.
    var localId: String?
    var emailVerified: Bool?
    var phoneNumber: String?
    var disabled: Bool?
    var mfaInfo: [FactorBody]?
    // Members of the protocol.
    var captchaChallenge: Ignored?
    var captchaResponse: Ignored?
    var clientType: Ignored?
    var recaptchaVersion: Ignored?
    var instanceId: Ignored?
    var returnSecureToken: Ignored?

    /// - Throws: the protocol's error for a client that sets an administrators' field.
    func refuseAdminOnlyFields() throws(APIError) {
        if localId.nilIfEmpty != nil { throw APIError(.unexpectedAccountID) }
        if emailVerified == true { throw .adminOnlyField("email_verified") }
        if phoneNumber.nilIfEmpty != nil { throw .adminOnlyField("phone_number") }
        if disabled == true { throw .adminOnlyField("disabled") }
        if mfaInfo.nilIfEmpty != nil { throw .adminOnlyField("mfa_info") }
    }
}

private struct SignUpReply: Encodable {
    var kind = "identitytoolkit#SignupNewUserResponse"
    var localId: String
    var email: String?
    var displayName: String?
    var photoUrl: String?
    var emailVerified: Bool?
    var phoneNumber: String?

    /// - Parameter isOwn: for the owner of the account; false for an administrator.
    init(_ account: Account, isOwn: Bool) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        displayName = account.displayName
        if !isOwn {
            photoUrl = account.photoURL
            emailVerified = account.email == nil ? nil : account.emailVerified
            phoneNumber = account.phoneNumber?.rawValue
        }
    }
}

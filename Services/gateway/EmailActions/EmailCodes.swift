import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Six digits by e-mail, beside the link: a Latchkey extension in the style of the v1 protocol.
    static let emailCodes: [Route] = [
        Route(.post, .v1("accounts:sendEmailCode"), .v1, .client, rate: .signIn) { call in
            let body = try call.realmBody(SendEmailCodeBody.self)
            let reply = try await call.send(
                Identity.SendEmailCode(
                    realm: call.realm(body), purpose: try body.fields.checkedPurpose(), email: body.email.nilIfEmpty,
                    idToken: body.idToken.nilIfEmpty.map(Secret.init), locale: call.locale, client: call.client))
            return .json(SentCodeReply(sessionInfo: reply.sessionInfo.reveal()))
        },
        Route(.post, .v1("accounts:signInWithEmailCode"), .v1, .client, rate: .signIn) { call in
            let body = try call.realmBody(EmailCodeBody.self)
            let reply = try await call.send(
                Identity.SignInWithEmailCode(
                    realm: call.realm(body), sessionInfo: body.sessionInfo.nilIfEmpty.map(Secret.init),
                    code: body.code.nilIfEmpty.map(Secret.init),
                    linkIDToken: body.idToken.nilIfEmpty.map(Secret.init), client: call.client),
                timeout: Call.signInTimeout)
            return call.json(EmailSignInReply(reply), session: reply.tokens, orPending: reply.secondFactor)
        },
        Route(.post, .v1("accounts:verifyEmailWithCode"), .v1, .client, rate: .signIn) { call in
            let body = try call.realmBody(EmailVerificationBody.self)
            let reply = try await call.send(
                Identity.VerifyEmailWithCode(
                    realm: call.realm(body), sessionInfo: body.sessionInfo.nilIfEmpty.map(Secret.init),
                    code: body.code.nilIfEmpty.map(Secret.init), client: call.client))
            return .json(EmailVerificationReply(reply.account))
        },
    ]
}

/// `purpose` of an e-mail code.
enum EmailCodePurposeName: String, WireEnumeration {
    case signIn = "SIGN_IN", verifyEmail = "VERIFY_EMAIL"

    init(_ purpose: Identity.EmailCodePurpose) {
        self =
            switch purpose {
            case .signIn: .signIn
            case .verifyEmail: .verifyEmail
            }
    }

    fileprivate var purpose: Identity.EmailCodePurpose {
        switch self {
        case .signIn: .signIn
        case .verifyEmail: .verifyEmail
        }
    }
}

private struct SendEmailCodeBody: Decodable {
    /// As received: an unknown value has its own error.
    var purpose: String?
    /// For `SIGN_IN`.
    var email: String?
    /// For `VERIFY_EMAIL`.
    var idToken: String?

    func checkedPurpose() throws(APIError) -> Identity.EmailCodePurpose {
        guard let name = purpose.nilIfEmpty else { throw APIError(.missingRequestType) }
        guard let purpose = EmailCodePurposeName(rawValue: name)?.purpose else { throw APIError(.invalidRequestType) }
        return purpose
    }
}

private struct EmailCodeBody: Decodable {
    var sessionInfo: String?
    var code: String?
    /// The account that receives the address.
    var idToken: String?
}

private struct EmailVerificationBody: Decodable {
    var sessionInfo: String?
    var code: String?
}

private struct EmailVerificationReply: Encodable {
    var localId: String
    var email: String?
    var emailVerified: Bool

    init(_ account: Account) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.emailVerified
    }
}

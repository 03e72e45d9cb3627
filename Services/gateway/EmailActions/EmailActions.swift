import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// E-mail action codes and their effects (REST 2.3, 2.10, 2.11), including the code branch of `accounts:update`.
    static let emailActions: [Route] = [
        Route(
            .post, .v1("accounts:sendOobCode", v3: "getOobConfirmationCode"), .v1, .client, rate: .signIn,
            handler: sendCode),
        Route(.post, .v1Realm("/accounts:sendOobCode"), .v1, .administrator, handler: sendCode),
        Route(
            .post, .v1("accounts:resetPassword", v3: "resetPassword"), .v1, .client, rate: .signIn
        ) { call in
            let body = try call.realmBody(PasswordChangeBody.self)
            guard let code = body.oobCode.nilIfEmpty.map(Secret.init) else {
                guard body.email.nilIfEmpty != nil else { throw ServiceError(.missingActionCode) }
                return try await changePassword(call, body)
            }
            let realm = try call.realm(body)
            guard let newPassword = body.newPassword.nilIfEmpty else {
                return .json(ActionReply(try await call.send(Identity.InspectActionCode(realm: realm, code: code))))
            }
            let reply = try await call.send(
                Identity.ResetPassword(
                    realm: realm, code: code, newPassword: Secret(newPassword), locale: call.locale,
                    client: call.client))
            return .json(ActionReply(reply))
        },
        Route(
            .post, .v1("accounts:signInWithEmailLink", v3: "emailLinkSignin"), .v1, .client, rate: .signIn
        ) { call in
            let body = try call.realmBody(EmailLinkBody.self)
            let reply = try await call.send(
                Identity.SignInWithEmailLink(
                    realm: call.realm(body), email: body.email.nilIfEmpty,
                    code: body.oobCode.nilIfEmpty.map(Secret.init),
                    linkIDToken: body.idToken.nilIfEmpty.map(Secret.init), client: call.client),
                timeout: Call.signInTimeout)
            return call.json(
                EmailSignInReply(reply, kind: "identitytoolkit#EmailLinkSigninResponse"), session: reply.tokens,
                orPending: reply.secondFactor)
        },
    ]

    private static func sendCode(_ call: Call) async throws -> HTTPResponse {
        let body =
            try call.isAdministrator
            ? call.administratorRealmBody(SendCodeBody.self) : call.realmBody(SendCodeBody.self)
        let purpose = try body.fields.purpose()
        if body.returnOobLink == true && !call.isAdministrator { throw APIError.adminOnlyField("return_oob_link") }
        let reply = try await call.send(
            Identity.SendActionCode(
                realm: call.realm(body), purpose: purpose, email: body.email.nilIfEmpty,
                newEmail: body.newEmail.nilIfEmpty, idToken: body.idToken.nilIfEmpty.map(Secret.init),
                settings: body.settings, locale: call.locale,
                isByAdministrator: call.isAdministrator,
                returnsLink: body.returnOobLink ?? false, client: call.client))
        return .json(SendCodeReply(reply))
    }

    /// `accounts:update` by the holder of a code.
    static func applyCode(_ code: String, in realm: Realm, _ call: Call) async throws -> Identity.ApplyActionCode.Reply
    {
        try await call.send(
            Identity.ApplyActionCode(
                realm: realm, code: Secret(code), locale: call.locale, client: call.client))
    }
}

/// `requestType`, in protocol-number order. The second and third belong to a flow that no library uses any more.
enum ActionRequestType: String, WireEnumeration {
    case passwordReset = "PASSWORD_RESET", oldEmailAgree = "OLD_EMAIL_AGREE", newEmailAccept = "NEW_EMAIL_ACCEPT"
    case verifyEmail = "VERIFY_EMAIL", recoverEmail = "RECOVER_EMAIL", emailSignIn = "EMAIL_SIGNIN"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
    case revertSecondFactorAddition = "REVERT_SECOND_FACTOR_ADDITION"
    /// Not part of the protocol.
    case revertPasskeyAddition = "REVERT_PASSKEY_ADDITION"

    init(_ purpose: Identity.ActionPurpose) {
        self =
            switch purpose {
            case .passwordReset: .passwordReset
            case .emailSignIn: .emailSignIn
            case .verifyEmail: .verifyEmail
            case .verifyAndChangeEmail: .verifyAndChangeEmail
            case .recoverEmail: .recoverEmail
            case .revertSecondFactorAddition: .revertSecondFactorAddition
            case .revertPasskeyAddition: .revertPasskeyAddition
            }
    }

    /// The purpose that a caller may request; nil for types that only the server uses.
    var requestable: Identity.ActionPurpose? {
        switch self {
        case .passwordReset: .passwordReset
        case .verifyEmail: .verifyEmail
        case .emailSignIn: .emailSignIn
        case .verifyAndChangeEmail: .verifyAndChangeEmail
        case .oldEmailAgree, .newEmailAccept, .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition: nil
        }
    }
}

private struct SendCodeBody: Decodable {
    /// A name or a number, as received: an unknown value has its own error.
    struct TypeName: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // `try?`: the other type is tried next.
            text = try (try? container.decode(String.self)) ?? String(container.decode(Int64.self))
        }
    }

    var requestType: TypeName?
    var email: String?
    var newEmail: String?
    var idToken: String?
    var continueUrl: String?
    var canHandleCodeInApp: Bool?
    var iOSBundleId: String?
    var iOSAppStoreId: String?
    var androidPackageName: String?
    var androidInstallApp: Bool?
    var androidMinimumVersion: String?
    var dynamicLinkDomain: String?
    var linkDomain: String?
    // Administrators only.
    var returnOobLink: Bool?
    // Members of the protocol.
    var challenge: Ignored?
    var captchaResp: Ignored?
    var userIp: Ignored?
    var clientType: Ignored?
    var recaptchaVersion: Ignored?

    func purpose() throws(APIError) -> Identity.ActionPurpose {
        guard let name = (requestType?.text).nilIfEmpty, name != "0", name != "OOB_REQ_TYPE_UNSPECIFIED" else {
            throw APIError(.missingRequestType)
        }
        guard let purpose = ActionRequestType(wire: name)?.requestable else { throw APIError(.invalidRequestType) }
        return purpose
    }

    var settings: Identity.ActionSettings {
        .init(
            continueURL: continueUrl.nilIfEmpty, isHandledInApp: canHandleCodeInApp ?? false,
            linkDomain: linkDomain.nilIfEmpty, dynamicLinkDomain: dynamicLinkDomain.nilIfEmpty,
            iOSBundleID: iOSBundleId.nilIfEmpty, iOSAppStoreID: iOSAppStoreId.nilIfEmpty,
            androidPackageName: androidPackageName.nilIfEmpty, androidMinimumVersion: androidMinimumVersion.nilIfEmpty,
            androidInstallsApp: androidInstallApp ?? false)
    }
}

private struct SendCodeReply: Encodable {
    var kind = "identitytoolkit#GetOobConfirmationCodeResponse"
    var email: String
    var oobCode: String?
    var oobLink: String?

    init(_ reply: Identity.SendActionCode.Reply) {
        email = reply.email.rawValue
        oobCode = reply.code?.reveal()
        oobLink = reply.link?.reveal()
    }
}

/// The purpose of an action code.
private struct ActionReply: Encodable {
    var kind = "identitytoolkit#ResetPasswordResponse"
    var requestType: String
    /// Absent for a sign-in code: its holder must already know the address.
    var email: String?
    var newEmail: String?
    var mfaInfo: UserRecord.FactorInfo?

    init(_ reply: Identity.InspectActionCode.Reply) {
        requestType = ActionRequestType(reply.purpose).rawValue
        email = reply.purpose == .emailSignIn ? nil : reply.email.rawValue
        newEmail = reply.newEmail?.rawValue
        mfaInfo = reply.secondFactor.map(UserRecord.FactorInfo.masked)
    }

    init(_ reply: Identity.ResetPassword.Reply) {
        requestType = ActionRequestType.passwordReset.rawValue
        email = reply.email.rawValue
    }
}

private struct EmailLinkBody: Decodable {
    var email: String?
    var oobCode: String?
    /// The account that receives the address.
    var idToken: String?
}

/// A sign-in by link or by code.
struct EmailSignInReply: Encodable {
    var kind: String?
    var localId: String
    var email: String?
    /// Absent until the second factor is verified.
    var isNewUser: Bool?

    init(_ reply: Identity.SignInWithEmailLink.Reply, kind: String? = nil) {
        self.kind = kind
        localId = reply.account.id.rawValue
        email = reply.account.email?.rawValue
        isNewUser = reply.secondFactor == nil ? reply.isNewAccount : nil
    }
}

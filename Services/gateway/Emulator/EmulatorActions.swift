import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Returns sent codes, and serves links that act on GET (REST 6). Dev mode only: in production mail scanners follow
    /// links too.
    static let emulatorActions: [Route] = [
        Route(
            .get,
            .local(
                "/emulator/v1/projects/{project}/oobCodes",
                "/emulator/v1/projects/{project}/tenants/{tenant}/oobCodes"), .v1, .developer
        ) { call in
            let realm = try call.realm()
            return .json(CodesReply(try await call.send(Identity.ListActionCodes(realm: realm))))
        },
        Route(
            .get,
            .local(
                "/emulator/v1/projects/{project}/verificationCodes",
                "/emulator/v1/projects/{project}/tenants/{tenant}/verificationCodes"), .v1, .developer
        ) { call in
            let realm = try call.realm()
            return .json(VerificationCodesReply(try await call.send(MFASMS.ListCodes(realm: realm))))
        },
        Route(
            .get,
            .local(
                "/emulator/v1/projects/{project}/emailCodes",
                "/emulator/v1/projects/{project}/tenants/{tenant}/emailCodes"), .v1, .developer
        ) { call in
            let realm = try call.realm()
            return .json(EmailCodesReply(try await call.send(Identity.ListEmailCodes(realm: realm))))
        },
        Route(.get, .local("/emulator/action"), .v1, .developer) { call in
            let link = ActionLinkQuery(call.request.queryItem)
            guard link.apiKey != nil else { return refused("missing apiKey query parameter") }
            guard link.code != nil else { return refused("missing oobCode query parameter") }
            do {
                let realm = try await link.realm(call)
                let action = try await link.inspect(in: realm, call)
                return try await act(link, action, in: realm, call)
            } catch let error as ServiceError where error.code == .invalidActionCode || error.code == .expiredActionCode
            {
                return refused("The link has expired, was used already, or has another mode than its code.")
            }
        },
    ]

    private static func act(
        _ link: ActionLinkQuery, _ action: Identity.InspectActionCode.Reply, in realm: Realm, _ call: Call
    ) async throws -> HTTPResponse {
        let code = link.code.map(Secret.init)
        switch action.purpose {
        case .emailSignIn:
            guard let url = action.continueURL.flatMap(WebURL.init) else {
                return refused("missing continueUrl query parameter of an authorized domain")
            }
            return redirect(to: url.appending(link.items))
        case .passwordReset:
            guard let newPassword = call.request.queryItem("newPassword").nilIfEmpty else {
                // A person has opened the link: the page asks for the password.
                if call.request.wantsPage, let query = call.request.rawQuery {
                    return redirect(to: "\(ActionPage.path)?\(query)")
                }
                return refused("missing newPassword query parameter")
            }
            _ = try await call.send(
                Identity.ResetPassword(realm: realm, code: code, newPassword: Secret(newPassword), client: call.client))
        case .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition:
            _ = try await call.send(Identity.ApplyActionCode(realm: realm, code: code, client: call.client))
        }
        if let url = action.continueURL { return redirect(to: url) }
        return .json(
            EmulatorReply(
                authEmulator: .init(success: "Done: \(action.purpose.mode).", email: action.email.rawValue)))
    }

    private static func redirect(to url: String) -> HTTPResponse {
        HTTPResponse(status: 303, headers: [("Location", url)])
    }

    private static func refused(_ reason: String) -> HTTPResponse {
        .json(EmulatorReply(authEmulator: .init(error: reason)), status: 400)
    }
}

private struct EmulatorReply: Encodable {
    struct Outcome: Encodable {
        var success: String?
        var email: String?
        var error: String?
    }
    var authEmulator: Outcome
}

private struct CodesReply: Encodable {
    struct Code: Encodable {
        var email: String
        var newEmail: String?
        var oobCode: String
        var oobLink: String
        var requestType: String
    }
    var oobCodes: [Code]

    init(_ reply: Identity.ListActionCodes.Reply) {
        oobCodes = reply.codes.map { entry in
            Code(
                email: entry.email.rawValue, newEmail: entry.newEmail?.rawValue, oobCode: entry.code.reveal(),
                oobLink: entry.link.reveal(), requestType: ActionRequestType(entry.purpose).rawValue)
        }
    }
}

private struct EmailCodesReply: Encodable {
    struct Code: Encodable {
        var email: String
        var code: String
        var sessionInfo: String
        var purpose: String
    }
    var emailCodes: [Code]

    init(_ reply: Identity.ListEmailCodes.Reply) {
        emailCodes = reply.codes.map { entry in
            Code(
                email: entry.email.rawValue, code: entry.code.reveal(), sessionInfo: entry.sessionInfo.reveal(),
                purpose: EmailCodePurposeName(entry.purpose).rawValue)
        }
    }
}

/// The SMS codes of sign-ins and second factors.
private struct VerificationCodesReply: Encodable {
    struct Code: Encodable {
        var phoneNumber: String
        var code: String
        var sessionInfo: String
    }
    var verificationCodes: [Code]

    init(_ reply: MFASMS.ListCodes.Reply) {
        verificationCodes = reply.codes.map { entry in
            Code(
                phoneNumber: entry.phoneNumber.rawValue, code: entry.code.reveal(),
                sessionInfo: entry.sessionInfo.reveal())
        }
    }
}

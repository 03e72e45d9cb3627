internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// The form of `accounts:resetPassword` that proves itself by the old password (REST 2.11).
    static func changePassword(_ call: Call, _ body: PasswordChangeBody) async throws -> HTTPResponse {
        let reply = try await call.send(
            Identity.ChangePassword(
                realm: call.realm(body), email: body.email.nonEmpty,
                oldPassword: body.oldPassword.nonEmpty.map(Secret.init),
                newPassword: body.newPassword.nonEmpty.map(Secret.init), locale: call.locale, client: call.client))
        return .json(PasswordChangeReply(email: reply.account.email?.rawValue))
    }
}

struct PasswordChangeBody: Decodable, RealmSpecifying {
    var oobCode: String?
    var email: String?
    var oldPassword: String?
    var newPassword: String?
    var tenantId: String?
    var targetProjectId: String?
}

private struct PasswordChangeReply: Encodable {
    var kind = "identitytoolkit#ResetPasswordResponse"
    var email: String?
    var requestType = "PASSWORD_RESET"
}

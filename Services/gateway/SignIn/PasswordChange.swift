import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// The form of `accounts:resetPassword` that authenticates with the old password (REST 2.11).
    static func changePassword(_ call: Call, _ body: RealmBody<PasswordChangeBody>) async throws -> HTTPResponse {
        let reply = try await call.send(
            Identity.ChangePassword(
                realm: call.realm(body), email: body.email.nilIfEmpty,
                oldPassword: body.oldPassword.nilIfEmpty.map(Secret.init),
                newPassword: body.newPassword.nilIfEmpty.map(Secret.init), locale: call.locale, client: call.client))
        return .json(PasswordChangeReply(email: reply.account.email?.rawValue))
    }
}

struct PasswordChangeBody: Decodable {
    var oobCode: String?
    var email: String?
    var oldPassword: String?
    var newPassword: String?
}

private struct PasswordChangeReply: Encodable {
    var kind = "identitytoolkit#ResetPasswordResponse"
    var email: String?
    var requestType = "PASSWORD_RESET"
}

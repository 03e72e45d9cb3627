public import Foundation
public import LatchkeyAuth

extension AdminAuth {
    /// A link with which the user chooses a new password. The application delivers it; the server sends no e-mail.
    /// - Throws: `userNotFound`, `invalidEmail`, `unauthorizedDomain`, `invalidContinueURI`.
    public func generatePasswordResetLink(
        forEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws -> URL {
        try await link(.passwordReset, email, nil, actionCodeSettings)
    }

    /// A link with which the user verifies the address.
    /// - Throws: as ``generatePasswordResetLink(forEmail:actionCodeSettings:)``.
    public func generateEmailVerificationLink(
        forEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws -> URL {
        try await link(.verifyEmail, email, nil, actionCodeSettings)
    }

    /// A link with which the user verifies a new address, which then replaces the old one.
    /// - Throws: `emailAlreadyExists`, and as ``generatePasswordResetLink(forEmail:actionCodeSettings:)``.
    public func generateVerifyAndChangeEmailLink(
        forEmail email: String, newEmail: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws -> URL {
        try await link(.verifyAndChangeEmail, email, newEmail, actionCodeSettings)
    }

    /// A link that signs the user in. The account need not exist.
    /// - Parameters:
    ///   - email: of an existing user, or of a new one.
    ///   - actionCodeSettings: with a `url`, and `handleCodeInApp`.
    /// - Throws: `operationNotAllowed`, `missingContinueURI`, and as
    ///   ``generatePasswordResetLink(forEmail:actionCodeSettings:)``.
    public func generateSignInWithEmailLink(
        forEmail email: String, actionCodeSettings: ActionCodeSettings
    ) async throws -> URL {
        try await link(.emailSignIn, email, nil, actionCodeSettings)
    }

    private func link(
        _ kind: SendActionCodeRequest.Kind, _ email: String, _ newEmail: String?, _ settings: ActionCodeSettings?
    ) async throws -> URL {
        struct Response: Decodable { var oobLink: String }
        var request = SendActionCodeRequest(
            kind, email: email, newEmail: newEmail, settings: settings, tenantId: tenantID)
        request.returnOobLink = true
        let response = try await server.send(
            .post, "v1", realmPath + ["accounts:sendOobCode"], body: request, repetition: .always, as: Response.self)
        guard let url = URL(string: response.oobLink) else {
            throw AdminError(.internalError, "The server sent a response that this library cannot read.")
        }
        return url
    }
}

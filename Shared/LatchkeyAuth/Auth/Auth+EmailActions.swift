import Foundation

extension Auth {
    /// Sends an e-mail with which the user chooses a new password. In projects with e-mail privacy, an unknown address
    /// is no error.
    /// - Throws: `invalidEmail`, `userNotFound`, `unauthorizedDomain`, `invalidContinueURI`, `tooManyRequests`.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        _ = try await server.send(
            SendActionCodeRequest(.passwordReset, email: email, settings: actionCodeSettings, tenantId: tenantID))
    }

    /// Sends an e-mail with a link that signs the user in.
    /// - Parameters:
    ///   - email: of an existing user, or of a new one.
    ///   - actionCodeSettings: with a `url`, and `handleCodeInApp`.
    /// - Throws: `invalidEmail`, `missingContinueURI`, `unauthorizedDomain`, `operationNotAllowed`, `tooManyRequests`.
    public func sendSignInLink(toEmail email: String, actionCodeSettings: ActionCodeSettings) async throws {
        _ = try await server.send(
            SendActionCodeRequest(.emailSignIn, email: email, settings: actionCodeSettings, tenantId: tenantID))
    }

    /// Applies the code of an e-mail that verifies, changes or recovers an address.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `userDisabled`, `userNotFound`.
    public func applyActionCode(_ code: String) async throws {
        _ = try await server.send(UpdateAccountRequest(oobCode: code, tenantId: tenantID))
    }

    /// What a code does. The code stays valid.
    /// - Throws: `invalidActionCode`, `expiredActionCode`.
    public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
        ActionCodeInfo(try await server.send(ResetPasswordRequest(oobCode: code, tenantId: tenantID)))
    }

    /// The address of the account whose password a code resets. The code stays valid.
    /// - Throws: `invalidActionCode`, `expiredActionCode`.
    @discardableResult
    public func verifyPasswordResetCode(_ code: String) async throws -> String {
        let info = try await checkActionCode(code)
        guard info.operation == .passwordReset else { throw AuthErrorCode(.invalidActionCode) }
        return info.email
    }

    /// Sets a new password with the code of an e-mail. All sessions of the user end.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `weakPassword`, `passwordDoesNotMeetRequirements`.
    public func confirmPasswordReset(withCode code: String, newPassword: String) async throws {
        _ = try await server.send(
            ResetPasswordRequest(oobCode: code, newPassword: newPassword, tenantId: tenantID))
    }
}

// MARK: - With a completion handler

extension Auth {
    /// The form with a completion handler.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, completion: AuthCompletion?
    ) {
        run(completion) {
            try await self.sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings)
        }
    }

    /// The form with a completion handler.
    public func sendSignInLink(
        toEmail email: String, actionCodeSettings: ActionCodeSettings, completion: AuthCompletion? = nil
    ) {
        run(completion) { try await self.sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings) }
    }

    /// The form with a completion handler.
    public func applyActionCode(_ code: String, completion: AuthCompletion? = nil) {
        run(completion) { try await self.applyActionCode(code) }
    }

    /// The form with a completion handler.
    public func checkActionCode(
        _ code: String, completion: @escaping @MainActor @Sendable (ActionCodeInfo?, (any Error)?) -> Void
    ) {
        run(completion) { try await self.checkActionCode(code) }
    }

    /// The form with a completion handler.
    public func verifyPasswordResetCode(
        _ code: String, completion: @escaping @MainActor @Sendable (String?, (any Error)?) -> Void
    ) {
        run(completion) { try await self.verifyPasswordResetCode(code) }
    }

    /// The form with a completion handler.
    public func confirmPasswordReset(
        withCode code: String, newPassword: String, completion: @escaping AuthCompletion
    ) {
        run(completion) { try await self.confirmPasswordReset(withCode: code, newPassword: newPassword) }
    }
}

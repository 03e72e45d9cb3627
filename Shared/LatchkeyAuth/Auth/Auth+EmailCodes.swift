import Foundation

extension Auth {
    /// Sends six digits to an address, with which the user of this application signs in: where a link would open
    /// elsewhere, such as on a television or in another browser. The project has to allow it.
    ///
    /// The result is the same whether or not an account has the address. A further code makes the earlier one invalid.
    /// - Parameter email: of an existing user, or of a new one.
    /// - Returns: the verification ID, for ``signIn(withEmailCode:verificationID:)``.
    /// - Throws: `invalidEmail`, `operationNotAllowed`, `tooManyRequests`, `quotaExceeded`.
    public func sendSignInCode(toEmail email: String) async throws -> String {
        try await server.send(SendEmailCodeRequest(purpose: .signIn, email: email, tenantId: tenantID)).sessionInfo
    }

    /// Signs a user in with the digits that ``sendSignInCode(toEmail:)`` has sent. It creates the account if there is
    /// none. A code is valid for ten minutes and for five tries.
    /// - Throws: `invalidVerificationCode`, `sessionExpired` after ten minutes or five wrong codes,
    ///   `invalidVerificationID`, `userDisabled`, `operationNotAllowed`, `adminRestrictedOperation`, `tooManyRequests`,
    ///   `secondFactorRequired`.
    @discardableResult
    public func signIn(withEmailCode code: String, verificationID: String) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withVerificationID: verificationID, emailCode: code))
    }
}

extension User {
    /// Sends six digits to the address of the user, which verify it. The project has to allow it.
    /// - Returns: the verification ID, for ``verifyEmail(withCode:verificationID:)``.
    /// - Throws: `operationNotAllowed`, `tooManyRequests`, and as ``reload()``.
    public func sendEmailVerificationCode() async throws -> String {
        try await withIDToken { idToken in
            try await self.auth.server.send(
                SendEmailCodeRequest(purpose: .verifyEmail, idToken: idToken, tenantId: self.tenantID)
            ).sessionInfo
        }
    }

    /// Verifies the address of the user with the digits that ``sendEmailVerificationCode()`` has sent, and reloads the
    /// user.
    /// - Throws: `invalidVerificationCode`, `sessionExpired` after ten minutes or five wrong codes,
    ///   `invalidVerificationID`, `operationNotAllowed`, `tooManyRequests`, and as ``reload()``.
    public func verifyEmail(withCode code: String, verificationID: String) async throws {
        _ = try await auth.server.send(
            EmailCodeVerificationRequest(sessionInfo: verificationID, code: code, tenantId: tenantID))
        try await reload()
    }
}

// MARK: - With a completion handler

extension Auth {
    /// The form with a completion handler.
    public func sendSignInCode(
        toEmail email: String, completion: @escaping @MainActor @Sendable (String?, (any Error)?) -> Void
    ) {
        run(completion) { try await self.sendSignInCode(toEmail: email) }
    }

    /// The form with a completion handler.
    public func signIn(
        withEmailCode code: String, verificationID: String, completion: AuthDataResultCompletion? = nil
    ) {
        run(completion) { try await self.signIn(withEmailCode: code, verificationID: verificationID) }
    }
}

extension User {
    /// The form of ``sendEmailVerificationCode()`` with a completion handler.
    public func sendEmailVerificationCode(
        completion: @escaping @MainActor @Sendable (String?, (any Error)?) -> Void
    ) {
        run(completion) { try await self.sendEmailVerificationCode() }
    }

    /// The form with a completion handler.
    public func verifyEmail(withCode code: String, verificationID: String, completion: AuthCompletion? = nil) {
        run(completion) { try await self.verifyEmail(withCode: code, verificationID: verificationID) }
    }
}

extension Auth {
    /// Revokes the tokens that Apple has issued for the current user. Apple requires it before an account is deleted.
    /// - Parameter authorizationCode: of a new sign-in with Apple; valid for five minutes and one use.
    /// - Throws: `nullUser` if no user is signed in; `operationNotAllowed` if the project has no key of Apple;
    ///   `invalidCredential` if Apple refuses the code, or the account is not linked with Apple; as ``User/reload()``.
    public func revokeToken(withAuthorizationCode authorizationCode: String) async throws {
        guard let user = currentUser else { throw AuthErrorCode(.nullUser) }
        try await user.withIDToken { idToken in
            _ = try await self.server.send(
                RevokeTokenRequest(token: authorizationCode, idToken: idToken, tenantId: user.tenantID))
        }
    }

    /// The form of ``revokeToken(withAuthorizationCode:)`` with a completion handler.
    public func revokeToken(withAuthorizationCode authorizationCode: String, completion: AuthCompletion?) {
        run(completion) { try await self.revokeToken(withAuthorizationCode: authorizationCode) }
    }
}

import Foundation

extension Auth {
    /// `sign_in_provider` of ID tokens.
    static let passkeyProviderID = "passkey"

    /// Begins a sign-in with a passkey, as plain values on every system.
    /// - Parameter userName: an e-mail address or a phone number, to allow only the passkeys of this user; nil for all.
    ///   The request of an unknown user names passkeys that do not exist.
    /// - Throws: `internalError` with the server code `PASSKEY_NOT_ENABLED`; `tooManyRequests`, `networkError`.
    public func passkeyAssertionRequest(forUserName userName: String? = nil) async throws -> PasskeyAssertionRequest {
        try PasskeyAssertionRequest(
            try await server.send(StartPasskeySignInRequest(identifier: userName, tenantId: tenantID))
                .credentialRequestOptions)
    }

    /// Signs a user in with the response of an authenticator.
    /// - Throws: `internalError` with the server code `INVALID_AUTHENTICATOR_RESPONSE`, `PASSKEY_CHALLENGE_TIMEOUT`, or
    ///   `PASSKEY_ENROLLMENT_NOT_FOUND` if no account has the passkey; `userDisabled`; `secondFactorRequired` if the
    ///   authenticator did not verify the user.
    @discardableResult
    public func finalizePasskeySignIn(
        withPlatformCredential assertion: PasskeyAssertion
    ) async throws -> AuthDataResult {
        try await signIn(
            FinalizePasskeySignInRequest(assertion, tenantId: tenantID), providerID: Self.passkeyProviderID)
    }

    /// The form with a completion handler.
    public func finalizePasskeySignIn(
        withPlatformCredential assertion: PasskeyAssertion, completion: AuthDataResultCompletion?
    ) {
        run(completion) { try await self.finalizePasskeySignIn(withPlatformCredential: assertion) }
    }
}

#if !canImport(AuthenticationServices) || os(watchOS)
    extension Auth {
        /// Begins a sign-in with a passkey. On Apple's systems it returns the request of AuthenticationServices.
        /// - Throws: as ``passkeyAssertionRequest(forUserName:)``.
        public func startPasskeySignIn() async throws -> PasskeyAssertionRequest {
            try await passkeyAssertionRequest()
        }

        /// The form with a completion handler.
        public func startPasskeySignIn(
            completion: (@MainActor @Sendable (PasskeyAssertionRequest?, (any Error)?) -> Void)?
        ) {
            run(completion) { try await self.startPasskeySignIn() }
        }
    }
#endif

import Foundation

extension User {
    /// The passkeys of the account; nil if there are none. ``reload()`` reads them again.
    public var enrolledPasskeys: [PasskeyInfo]? {
        account.passkeyInfo.flatMap { $0.isEmpty ? nil : $0.map(PasskeyInfo.init) }
    }

    /// Begins to add a passkey, as plain values on every system.
    /// - Parameter name: of the new passkey, at most 128 characters. It is sent with the passkey; nil or an empty text
    ///   lets the server name it after the model of the authenticator.
    /// - Throws: `requiresRecentLogin` more than five minutes after the sign-in; `internalError` with the server code
    ///   `PASSKEY_NOT_ENABLED` or `PASSKEY_LIMIT_EXCEEDED`; and as ``reload()``.
    public func passkeyRegistrationRequest(withName name: String?) async throws -> PasskeyRegistrationRequest {
        let response = try await withIDToken { idToken in
            try await self.auth.server.send(StartPasskeyEnrollmentRequest(idToken: idToken, tenantId: self.tenantID))
        }
        let request = try PasskeyRegistrationRequest(response.credentialCreationOptions)
        passkeyName.withLock { $0 = name.flatMap { $0.isEmpty ? nil : $0 } }
        return request
    }

    /// Adds the passkey that an authenticator has created.
    /// - Throws: `internalError` with the server code `INVALID_AUTHENTICATOR_RESPONSE`, `PASSKEY_CHALLENGE_TIMEOUT`,
    ///   `PASSKEY_EXISTS` or `PASSKEY_LIMIT_EXCEEDED`; and as ``reload()``.
    @discardableResult
    public func finalizePasskeyEnrollment(
        withPlatformCredential registration: PasskeyRegistration
    ) async throws -> AuthDataResult {
        let name = passkeyName.withLock { $0 }
        let response = try await withIDToken { idToken in
            try await self.auth.server.send(
                FinalizePasskeyEnrollmentRequest(
                    idToken: idToken, name: name, registration, tenantId: self.tenantID))
        }
        passkeyName.withLock { $0 = nil }
        return try await auth.complete(response, providerID: Auth.passkeyProviderID, purpose: .link(self))
    }

    /// Removes a passkey from the account. Sessions stay.
    /// - Parameter credentialID: of ``enrolledPasskeys``.
    /// - Throws: `requiresRecentLogin`, and as ``reload()``.
    public func unenrollPasskey(withCredentialID credentialID: String) async throws {
        try await change {
            UpdateAccountRequest(idToken: $0, deletePasskey: [credentialID], tenantId: self.tenantID)
        }
    }
}

#if !canImport(AuthenticationServices) || os(watchOS)
    extension User {
        /// Begins to add a passkey. On Apple's systems it returns the request of AuthenticationServices.
        /// - Throws: as ``passkeyRegistrationRequest(withName:)``.
        public func startPasskeyEnrollment(withName name: String?) async throws -> PasskeyRegistrationRequest {
            try await passkeyRegistrationRequest(withName: name)
        }

        /// The form with a completion handler.
        public func startPasskeyEnrollment(
            withName name: String?,
            completion: (@MainActor @Sendable (PasskeyRegistrationRequest?, (any Error)?) -> Void)?
        ) {
            run(completion) { try await self.startPasskeyEnrollment(withName: name) }
        }
    }
#endif

// MARK: - With a completion handler

extension User {
    /// The form with a completion handler.
    public func finalizePasskeyEnrollment(
        withPlatformCredential registration: PasskeyRegistration, completion: AuthDataResultCompletion?
    ) {
        run(completion) { try await self.finalizePasskeyEnrollment(withPlatformCredential: registration) }
    }

    /// The form of ``unenrollPasskey(withCredentialID:)`` with a completion handler.
    public func unenrollPasskey(withCredentialID credentialID: String, completion: AuthCompletion?) {
        run(completion) { try await self.unenrollPasskey(withCredentialID: credentialID) }
    }
}

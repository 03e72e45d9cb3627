import Foundation

extension OAuthProvider: FederatedAuthProvider {
    /// Signs the user in on a page of the provider. The server returns no credential before
    /// ``Auth/signIn(with:)-(AuthCredential)``, ``User/link(with:)`` or ``User/reauthenticate(with:)`` with the result.
    /// - Parameter uiDelegate: nil uses the browser of the system, on Apple's systems.
    /// - Throws: `webContextCancelled` when the user closes the page or does nothing for ten minutes;
    ///   `webContextAlreadyPresented`; `webNetworkRequestFailed`; `invalidClientID` if the project knows the application
    ///   with another client ID; `missingIosBundleID`, `missingClientIdentifier` for options without them;
    ///   `webSignInUserInteractionFailure` with the server code `auth/user-cancelled`, `auth/invalid-credential` or
    ///   `auth/operation-not-allowed`; `webInternalError`, also without a delegate where the system has none.
    public func credential(with uiDelegate: (any AuthUIDelegate)?) async throws -> AuthCredential {
        let systemDelegate = await Auth.systemUIDelegate
        guard let delegate = uiDelegate ?? systemDelegate else {
            throw AuthErrorCode.noDelegate
        }
        let sessionID = randomNonceString()
        let response = try await auth.show(
            .signIn(
                providerID: providerID, scopes: scopes ?? [], customParameters: customParameters ?? [:],
                sessionID: sessionID), by: delegate)
        return OAuthCredential(provider: providerID, responseURL: response, sessionID: sessionID)
    }
}

extension Auth {
    /// Signs the user in on a page of an identity provider.
    /// - Throws: as ``OAuthProvider/credential(with:)`` and ``signIn(with:)-(AuthCredential)``.
    @discardableResult
    public func signIn(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthDataResult {
        try await signIn(with: try await provider.credential(with: uiDelegate))
    }

    /// The form with a completion handler.
    public func signIn(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
        completion: AuthDataResultCompletion? = nil
    ) {
        run(completion) { try await self.signIn(with: provider, uiDelegate: uiDelegate) }
    }
}

extension User {
    /// Adds the account at an identity provider, with which the user signs in on its page.
    /// - Throws: as ``OAuthProvider/credential(with:)`` and ``link(with:)``.
    @discardableResult
    public func link(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthDataResult {
        try await link(with: try await provider.credential(with: uiDelegate))
    }

    /// Renews the session on a page of an identity provider.
    /// - Throws: as ``OAuthProvider/credential(with:)`` and ``reauthenticate(with:)``.
    @discardableResult
    public func reauthenticate(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthDataResult {
        try await reauthenticate(with: try await provider.credential(with: uiDelegate))
    }

    /// The form with a completion handler.
    public func link(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
        completion: AuthDataResultCompletion? = nil
    ) {
        run(completion) { try await self.link(with: provider, uiDelegate: uiDelegate) }
    }

    /// The form with a completion handler.
    public func reauthenticate(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
        completion: AuthDataResultCompletion? = nil
    ) {
        run(completion) { try await self.reauthenticate(with: provider, uiDelegate: uiDelegate) }
    }
}

/// Signs users in on a page. ``OAuthProvider`` is one.
public protocol FederatedAuthProvider: Sendable {
    /// Shows the page.
    /// - Parameter uiDelegate: nil uses the browser of the system, on Apple's systems.
    /// - Returns: what the page returned, for ``Auth/signIn(with:)-(AuthCredential)``, ``User/link(with:)`` or
    ///   ``User/reauthenticate(with:)``.
    func credential(with uiDelegate: (any AuthUIDelegate)?) async throws -> AuthCredential
}

extension FederatedAuthProvider {
    /// The same as ``credential(with:)``.
    public func getCredentialWith(_ uiDelegate: (any AuthUIDelegate)?) async throws -> AuthCredential {
        try await credential(with: uiDelegate)
    }

    /// The form with a completion handler.
    public func getCredentialWith(
        _ uiDelegate: (any AuthUIDelegate)?,
        completion: (@MainActor @Sendable (AuthCredential?, (any Error)?) -> Void)? = nil
    ) {
        run(completion) { try await self.credential(with: uiDelegate) }
    }
}

public import Foundation

extension Auth {
    /// Signs the user in on the pages of the server, with every way to sign in that the project offers.
    ///
    /// The application is registered in the project, with the redirect address of the page: a scheme of the
    /// application. The delegate shows the page; on Apple's systems nil uses the browser of the system.
    /// - Throws: `webContextCancelled` when the user closes the page or does nothing for ten minutes;
    ///   `webContextAlreadyPresented`; `webSignInUserInteractionFailure` with the server code of OAuth, such as
    ///   `access_denied` or `unmet_authentication_requirements`; `webNetworkRequestFailed`; `webInternalError`, also
    ///   without a delegate where the system has none; `invalidCredential` for a code that the server refuses.
    @discardableResult
    public func signIn(
        withHostedPage page: HostedPage, uiDelegate: (any AuthUIDelegate)? = nil
    ) async throws -> AuthDataResult {
        let systemDelegate = await Self.systemUIDelegate
        guard let delegate = uiDelegate ?? systemDelegate else { throw AuthErrorCode.noDelegate }
        return try await signIn(page, port: nil) { _ in delegate }
    }

    /// The form for a command-line tool: it listens on loopback for the response (RFC 8252 section 7.3).
    ///
    /// ```swift
    /// let page = HostedPage(clientID: "…", redirectURL: URL(string: "http://127.0.0.1/signed-in")!)
    /// try await Auth.auth().signIn(withHostedPage: page) { print("Open this address in a browser: \($0)") }
    /// ```
    /// - Parameters:
    ///   - page: with a redirect address `http://127.0.0.1/…` or `http://[::1]/…` without a port.
    ///   - open: shows the address to the user, or opens it in a browser. Every error ends the sign-in.
    /// - Throws: as ``signIn(withHostedPage:uiDelegate:)``; `internalError` for another redirect address.
    @discardableResult
    public func signIn(
        withHostedPage page: HostedPage, open: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> AuthDataResult {
        let listener = try LoopbackListener(page.redirectURL)
        defer { listener.stop() }
        return try await signIn(page, port: listener.port) { visited in
            LoopbackDelegate(listener: listener, isResult: { visited.result(in: $0) != nil }, open: open)
        }
    }

    /// The form with a completion handler.
    public func signIn(
        withHostedPage page: HostedPage, uiDelegate: (any AuthUIDelegate)? = nil,
        completion: AuthDataResultCompletion?
    ) {
        run(completion) { try await self.signIn(withHostedPage: page, uiDelegate: uiDelegate) }
    }

    private func signIn(
        _ hosted: HostedPage, port: UInt16?, by delegate: (AuthorizationPage) -> any AuthUIDelegate
    ) async throws -> AuthDataResult {
        let page = try AuthorizationPage(
            hosted, server: try server.pagesURL, port: port, tenantID: tenantID, languageCode: languageCode)
        let url = try await browserVisit.show(page, by: delegate(page), clock: clock)
        let response = try page.response(in: url)
        let reply = try await server.redeem(
            AuthorizationCodeRequest(
                clientID: hosted.clientID, redirectURI: page.redirectURI, code: response.code,
                verifier: page.verifier.reveal()))
        let claims = try IDTokenPayload(reply.idToken).claims
        // The token endpoint is that of this server; a response of another issuer, or for another request, is not used.
        guard claims["nonce"] as? String == page.nonce.reveal(),
            response.issuer == nil || claims["iss"] as? String == response.issuer,
            let tokens = SessionTokens(
                idToken: reply.idToken, refreshToken: reply.refreshToken, expiresIn: String(reply.expiresIn),
                at: clock.now())
        else { throw AuthErrorCode(.invalidCredential) }
        let provider = try IDTokenPayload(reply.idToken).firebaseText("sign_in_provider")
        return try await complete(tokens, SignInResponse(), providerID: provider, purpose: .signIn)
    }
}

extension AuthErrorCode {
    /// The system has no browser that returns to the application.
    static var noDelegate: AuthErrorCode {
        AuthErrorCode(
            .webInternalError,
            userInfo: [NSLocalizedDescriptionKey: "This system has no default delegate: pass an AuthUIDelegate."])
    }
}

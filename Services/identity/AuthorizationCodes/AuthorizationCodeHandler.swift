import Bus
import Contracts
import Vocabulary

/// Issues and redeems the authorization codes of registered applications.
struct AuthorizationCodeHandler: IdentityComponent {
    let context: IdentityContext

    /// - Throws: `recentSignInRequired` for a sign-in that is too old, `secondFactorRequired` for one that is too weak,
    ///   `applicationNotFound`, `invalidRedirectURL`, and errors of the ID token.
    func issue(
        _ request: Identity.IssueAuthorizationCode, _ call: BusCall
    ) async throws -> Identity.IssueAuthorizationCode.Reply {
        try await store.reply(to: call, at: now()) { try await checkAndIssue(request, call) }
    }

    private func checkAndIssue(
        _ request: Identity.IssueAuthorizationCode, _ call: BusCall
    ) async throws -> Identity.IssueAuthorizationCode.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let principal = session.principal
        // A token of a former version, which lasts for an hour at most, does not name its session.
        guard let signInID = session.authentication.signInID else { throw ServiceError(.sessionExpired) }
        guard request.nonce?.utf8.count ?? 0 <= Identity.IssueAuthorizationCode.maximumNonceBytes else {
            throw ServiceError(.invalidRequest, "the nonce is too long")
        }
        let application = try await store.application(request.application, of: session.project)
        guard application.registration.allows(redirectURL: request.redirectURL) else {
            throw ServiceError(.invalidRedirectURL)
        }
        let now = now()
        try session.authentication.require(
            request.minimumLevel, maximumSignInAgeSeconds: request.maximumSignInAgeSeconds, at: now)
        let text = AuthorizationCodeText(secret: randomBytes(AuthorizationCodeText.secretBytes))
        return try await store.insert(
            AuthorizationCode(
                hash: text.hash, realm: principal.realm, accountID: principal.accountID, signInID: signInID,
                application: application.id, redirectURL: request.redirectURL, challenge: request.challenge,
                nonce: request.nonce, createdAt: now), at: now,
            idempotency: store.idempotentCall(for: call, at: now), reply: .init(code: Secret(text.text)))
    }

    /// - Throws: `invalidAuthorizationCode` for every reason, and what describes the project.
    func redeem(
        _ request: Identity.RedeemAuthorizationCode, _ call: BusCall
    ) async throws -> Identity.RedeemAuthorizationCode.Reply {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        guard let text = AuthorizationCodeText(request.code.reveal()),
            let code = try await store.authorizationCode(text), code.realm.project == project.id
        else { throw ServiceError(.invalidAuthorizationCode) }
        let inside = try await projects.project(of: code.realm, traceID: call.trace.traceID)
        let now = now()
        // The authentication context is read with the code, in the transaction.
        let (session, token) = sessions.open(
            for: code.accountID, in: code.realm,
            authentication: AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: ""),
            client: request.client, at: now)
        let redemption = try await store.redeem(
            text,
            .init(
                application: request.application, redirectURL: request.redirectURL, verifier: request.verifier.reveal()),
            SessionPolicy(inside.configuration), opening: session, token,
            idempotency: store.idempotentCall(for: call, at: now)
        ) { action in
            AuditEntry(
                action, action == .signIn ? .account(code.accountID) : .anonymous, code.realm, request.client, call,
                about: code.accountID, at: now)
        }
        guard let opened = redemption.opened else { throw ServiceError(.invalidAuthorizationCode) }
        // The page has recorded the device of the user. This client may be a server.
        return .init(
            accountID: opened.account.id, projectNumber: project.number,
            tokens: try await sessions.tokens(for: opened, nil, nonce: redemption.nonce))
    }
}

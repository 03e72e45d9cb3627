import Bus
import Contracts
import Vocabulary

/// The session of a verified ID token.
struct AuthenticatedSession: Sendable {
    var principal: Principal
    var authentication: AuthenticationContext
    /// The current account.
    var stored: StoredAccount
    /// With the configuration of the account's realm.
    var project: Project

    var policy: SessionPolicy { SessionPolicy(project.configuration) }
}

/// Verifies the ID token of a request.
struct SessionAuthenticator: IdentityComponent {
    let context: IdentityContext

    /// Verifies an ID token, and loads its current account.
    /// - Parameter scope: the minimum scope of the session; `restoration` permits every one.
    /// - Throws: `missingIDToken`, `invalidIDToken`, `tenantMismatch`, `accountNotFound`, `accountDisabled`,
    ///   `sessionExpired`, `projectDisabled`, `secondFactorRequired` for a session that may only enroll a factor.
    func authenticate(
        _ idToken: Secret<String>?, in realm: Realm, _ call: BusCall, allowing scope: SessionScope = .full
    ) async throws -> AuthenticatedSession {
        guard let text = idToken?.reveal().nilIfEmpty else { throw ServiceError(.missingIDToken) }
        let claims = try await idTokens.verify(text)
        try claims.check(for: realm, at: now().timestamp)
        let tokenRealm = Realm(project: claims.project, tenant: claims.tenant)
        guard let stored = try await store.account(claims.accountID, in: tokenRealm) else {
            throw ServiceError(.accountNotFound)
        }
        try stored.requireActive(
            tokenIssuedAt: claims.issuedAt, in: scope == .restoration ? claims.authentication.scope : .full)
        let project = try await projects.project(of: tokenRealm, traceID: call.trace.traceID)
        let principal = Principal(
            accountID: claims.accountID, realm: tokenRealm, issuedAt: claims.issuedAt,
            authenticatedAt: claims.authentication.authenticatedAt,
            signInProvider: claims.authentication.signInProvider,
            secondFactorID: claims.authentication.secondFactor?.id)
        let session = AuthenticatedSession(
            principal: principal, authentication: claims.authentication, stored: stored, project: project)
        switch scope {
        case .restoration: break
        case .enrollment:
            guard claims.authentication.scope != .restoration else { throw ServiceError(.sessionExpired) }
        case .full:
            guard session.policy.scope(of: claims.authentication, stored) == .full else {
                throw ServiceError(.secondFactorRequired)
            }
        }
        return session
    }

    /// Like `authenticate`, for handlers that open a session which continues this one, with the session's own claims.
    /// The token contains them among the claims of the account, so they are read from the store.
    func authenticateToContinue(
        _ idToken: Secret<String>?, in realm: Realm, _ call: BusCall, allowing scope: SessionScope = .full
    ) async throws -> AuthenticatedSession {
        var session = try await authenticate(idToken, in: realm, call, allowing: scope)
        let payload = try IDTokenIssuer.payload(of: idToken?.reveal() ?? "")
        session.authentication.claims = try await store.claims(
            ofSessionsLike: session.authentication, of: session.principal.accountID, in: session.principal.realm
        ).first { text in
            // `try?`: tokens do not contain claims that cannot be parsed.
            (try? CustomClaims.parse(text))?.allSatisfy { payload[$0.key] == $0.value } ?? false
        }
        return session
    }
}

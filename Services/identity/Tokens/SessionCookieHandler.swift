import Bus
import Contracts
import Vocabulary

/// Issues session cookies.
struct SessionCookieHandler: IdentityComponent {
    let context: IdentityContext

    func create(
        _ request: Identity.CreateSessionCookie, _ call: BusCall
    ) async throws -> Identity.CreateSessionCookie.Reply {
        guard let idToken = request.idToken?.reveal().nilIfEmpty else { throw ServiceError(.missingIDToken) }
        let lifetime = try SessionCookie.lifetime(request.lifetimeSeconds)
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let (principal, stored) = (session.principal, session.stored)
        // TK9: a token that was stolen after long use must not become a cookie that is valid for two weeks.
        try principal.requireRecentSignIn(at: now())
        _ = try session.policy.authenticationContext(
            for: .init(
                operation: .sessionCookie, stored: stored, authentication: session.authentication,
                presented: session.authentication))
        let issuedAt = now().timestamp
        // Maintenance creates the key for cookies; a request before that waits for the key.
        if !keys.hasActive(.sessionCookie, at: issuedAt),
            try await keys.rotateIfDue(.sessionCookie, traceID: call.trace.traceID)
        {
            publish(.signingKeysChanged)
        }
        let cookie = try await idTokens.issueSessionCookie(
            from: idToken, project: principal.realm.project, issuedAt: max(issuedAt, stored.account.validSince),
            lifetimeSeconds: lifetime)
        try await store.audit(
            AuditEntry(
                .sessionCookieCreated, .administrator, principal.realm, request.client, call,
                about: principal.accountID, at: now()))
        return .init(sessionCookie: Secret(cookie))
    }
}

import Bus
import Contracts
import Vocabulary

/// Lists and ends the sessions of an account for its owner.
struct OwnSessionsHandler: IdentityComponent {
    let context: IdentityContext

    func list(_ request: Identity.ListOwnSessions, _ call: BusCall) async throws -> Identity.ListOwnSessions.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let found = try await store.activeSessions(
            ofOwner: session.principal, signedInAs: session.authentication.signInID, at: now(),
            limit: Identity.ListSessions.maximumCount)
        let signIns = OwnSessions.list(found.sessions, current: session.authentication.signInID)
        let limit = Identity.ListOwnSessions.maximumCount
        return .init(sessions: Array(signIns.prefix(limit)), hasMore: found.hasMore || signIns.count > limit)
    }

    func end(_ request: Identity.EndOwnSessions, _ call: BusCall) async throws -> EmptyReply {
        let selection = try OwnSessions.Selection(request.selection)
        return try await store.reply(to: call, at: now()) { try await end(selection, request, call) }
    }

    private func end(
        _ selection: OwnSessions.Selection, _ request: Identity.EndOwnSessions, _ call: BusCall
    ) async throws -> EmptyReply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let principal = session.principal
        // A token of a former version, which lasts for an hour at most, does not name its session.
        guard let signIn = session.authentication.signInID else { throw ServiceError(.recentSignInRequired) }
        let now = now()
        try await store.endSessions(
            selection, ofOwner: principal, signedInAs: signIn, at: now,
            audit: AuditEntry(
                .sessionEnded, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID, at: now),
            idempotency: store.idempotentCall(for: call, at: now))
        publish(.sessionsRevoked(principal.realm, principal.accountID))
        return EmptyReply()
    }
}

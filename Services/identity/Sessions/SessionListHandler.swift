import Bus
import Contracts
import Crypto
import Vocabulary

/// Lists and ends the sessions of an account for the operator.
struct SessionListHandler: IdentityComponent {
    let context: IdentityContext

    func list(_ request: Identity.ListSessions, _ call: BusCall) async throws -> Identity.ListSessions.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        try request.checkLimit()
        let found = try await store.activeSessions(
            of: request.accountID, in: request.realm, at: now(), limit: request.limit)
        return .init(
            sessions: found.sessions.map(Identity.AccountSession.init),
            hasMore: found.hasMore)
    }

    func end(_ request: Identity.EndSession, _ call: BusCall) async throws -> EmptyReply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard let id = SessionID(text: request.sessionID) else { throw ServiceError(.sessionNotFound) }
        try await store.endSession(
            id, of: request.accountID, in: request.realm, at: now(),
            audit: AuditEntry(
                .sessionEnded, .administrator, request.realm, request.client, call, about: request.accountID,
                at: now()),
            idempotency: store.idempotentCall(for: call, at: now()))
        return EmptyReply()
    }
}

extension Identity.AccountSession {
    fileprivate init(_ session: Session) {
        let isEnrollmentOnly =
            switch session.authentication.scope {
            case .full, .restoration: false
            case .enrollment: true
            }
        self.init(
            id: session.id.text, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt,
            signInProvider: session.authentication.signInProvider,
            secondFactor: session.authentication.secondFactor?.kind, clientAddress: session.clientAddress,
            isEnrollmentOnly: isEnrollmentOnly)
    }
}

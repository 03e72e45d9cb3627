import Bus
import Contracts
import Crypto
import Vocabulary

/// Opens, resolves and ends the sessions of the console.
struct OperatorSessionHandler: IdentityComponent {
    let context: IdentityContext

    func open(
        _ request: Identity.OpenOperatorSession, _ call: BusCall
    ) async throws -> Identity.OpenOperatorSession.Reply {
        let signedIn = try await authenticator.authenticate(request.idToken, in: .operators, call)
        guard signedIn.authentication.hasTwoFactors else { throw ServiceError(.secondFactorRequired) }
        let now = now()
        try signedIn.principal.requireRecentSignIn(at: now)
        let token = OperatorToken(secret: randomBytes(OperatorToken.secretBytes))
        let id = signedIn.principal.accountID
        let session = OperatorSession(
            tokenHash: token.hash, accountID: id, createdAt: now, lastUsedAt: now,
            clientAddress: request.client.ipAddress, device: request.client.device)
        try await store.open(
            session, insteadOf: request.formerToken.flatMap { OperatorToken($0.reveal()) }?.hash,
            audit: AuditEntry(
                .operatorSessionOpened, .account(id), .operators, request.client, call, about: id, at: now))
        return .init(token: Secret(token.text))
    }

    /// - Throws: `sessionExpired` for any token without an active session.
    func resolve(_ request: Identity.ResolveOperatorSession) async throws -> Identity.ResolveOperatorSession.Reply {
        let now = now()
        guard let token = OperatorToken(request.token.reveal()),
            let (session, found) = try await store.operatorSession(token.hash, at: now)
        else { throw ServiceError(.sessionExpired) }
        if session.recordsUse(at: now) { try await store.recordUse(of: session, at: now) }
        return .init(
            operator: found, sessionID: session.id, isFresh: session.isFresh(at: now), formToken: token.formToken)
    }

    func list(
        _ request: Identity.ListOperatorSessions
    ) async throws -> Identity.ListOperatorSessions.Reply {
        let found = try await store.operatorSessions(
            of: request.accountID, at: now(), limit: Identity.ListOperatorSessions.maximumCount)
        return .init(
            sessions: found.map { session in
                Identity.OperatorSession(
                    id: session.id, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt,
                    clientAddress: session.clientAddress, device: session.device)
            })
    }

    func end(_ request: Identity.EndOperatorSessions, _ call: BusCall) async throws -> EmptyReply {
        let tokenHash = try request.sessionID.map { text throws(ServiceError) in
            guard text.utf8.count <= 64, let hash = Base64URL.decode(text) else { throw ServiceError(.sessionNotFound) }
            return hash
        }
        try await store.endOperatorSessions(
            of: request.accountID, tokenHash,
            audit: AuditEntry(
                .operatorSessionEnded, .administrator, .operators, request.client, call, about: request.accountID,
                at: now()))
        return EmptyReply()
    }
}

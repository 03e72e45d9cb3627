import Bus
import Contracts
import Vocabulary

/// Adds, resets, removes and lists the operators of the console.
struct OperatorHandler: IdentityComponent {
    let context: IdentityContext

    func grant(
        _ request: Identity.GrantOperatorRole, _ call: BusCall
    ) async throws -> Identity.GrantOperatorRole.Reply {
        let email = try EmailAddress(checking: request.email)
        try await projects.ensure(.operators, apiKey: nil, traceID: call.trace.traceID)
        let now = now()
        var blank = StoredAccount(id: AccountID(randomBytes: randomBytes), in: .operators, at: now)
        try blank.apply(.init(email: request.email, emailVerified: true), passwordRecord: nil, at: now)
        let (found, isNew) = try await store.grant(request.grant, to: blank, email: email) { id in
            entry(.operatorGranted, request.client, call, about: id, at: now)
        }
        return .init(operator: found, code: isNew ? try await code(for: email, request.client, call) : nil)
    }

    func reset(_ request: Identity.ResetOperator, _ call: BusCall) async throws -> Identity.ResetOperator.Reply {
        let email = try EmailAddress(checking: request.email)
        let now = now()
        let id = try await store.resetOperator(email) { id in
            entry(.operatorReset, request.client, call, about: id, at: now)
        }
        publish(.sessionsRevoked(.operators, id))
        return .init(code: try await code(for: email, request.client, call))
    }

    func remove(_ request: Identity.RemoveOperator, _ call: BusCall) async throws -> EmptyReply {
        let email = try EmailAddress(checking: request.email)
        let now = now()
        try await store.removeOperator(
            email, project: request.project, idempotency: store.idempotentCall(for: call, at: now)
        ) { id in entry(.operatorRemoved, request.client, call, about: id, at: now) }
        return EmptyReply()
    }

    func list(_ request: Identity.ListOperators) async throws -> Identity.ListOperators.Reply {
        .init(operators: try await store.operators())
    }

    private func entry(
        _ action: AuditEntry.Action, _ client: ClientContext, _ call: BusCall, about id: AccountID, at now: Moment
    ) -> AuditEntry {
        AuditEntry(action, .administrator, .operators, client, call, about: id, at: now)
    }

    /// With which the operator sets a password, once.
    private func code(
        for email: EmailAddress, _ client: ClientContext, _ call: BusCall
    ) async throws -> Secret<String> {
        let reply = try await ActionCodeSendingHandler(context: context).send(
            Identity.SendActionCode(
                realm: .operators, purpose: .passwordReset, email: email.rawValue, isByAdministrator: true,
                returnsLink: true, client: client), call)
        guard let code = reply.code else { throw ServiceError(.internal, "the reply has no code") }
        return code
    }
}

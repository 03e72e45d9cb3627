import Bus
import Contracts
import Vocabulary

/// Creates, changes, finds and deletes accounts for administrators.
struct AccountAdministrationHandler: IdentityComponent {
    let context: IdentityContext

    func create(_ request: Identity.CreateAccount, _ call: BusCall) async throws -> Identity.CreateAccount.Reply {
        let project = try await projects.projectForAdministration(
            request.realm, traceID: call.trace.traceID)
        if let id = request.accountID, !id.isAcceptable { throw ServiceError(.invalidAccountID) }
        var stored = StoredAccount(
            id: request.accountID ?? AccountID(randomBytes: randomBytes), in: request.realm, at: now())
        let changes = Identity.AccountChanges(
            email: request.email?.nilIfEmpty, emailVerified: request.emailVerified, displayName: request.displayName,
            photoURL: request.photoURL, phoneNumber: request.phoneNumber, disabled: request.disabled,
            secondFactors: request.secondFactors.map(withIDs))
        try stored.apply(changes, passwordRecord: nil, at: now())
        if let text = request.password?.reveal() {
            let passwordRecord = try await newPasswords.record(
                of: text, for: stored.account.email, project, by: call.deadline)
            stored.setPassword(passwordRecord, at: now())
        }
        return try await store.create(
            stored,
            audit: AuditEntry(
                .accountCreated, .administrator, request.realm, request.client, call, about: stored.account.id,
                at: now()),
            idempotency: store.idempotentCall(for: call, at: now()), reply: .init(account: stored.account))
    }

    func update(_ request: Identity.UpdateAccount, _ call: BusCall) async throws -> Identity.UpdateAccount.Reply {
        let project = try await projects.projectForAdministration(
            request.realm, traceID: call.trace.traceID)
        guard let id = request.accountID, !id.rawValue.isEmpty else { throw ServiceError(.missingAccountID) }
        guard let current = try await store.account(id, in: request.realm) else {
            throw ServiceError(.accountNotFound)
        }
        var passwordRecord: String?
        if let text = request.changes.password?.reveal() {
            let email = request.changes.email.flatMap(EmailAddress.init) ?? current.account.email
            passwordRecord = try await newPasswords.record(of: text, for: email, project, by: call.deadline)
        }
        let now = now()
        var changes = request.changes
        changes.secondFactors = changes.secondFactors.map(withIDs)
        return try await updater.change(
            id, in: request.realm,
            audit: AuditEntry(.accountUpdated, .administrator, request.realm, request.client, call, about: id, at: now),
            idempotency: store.idempotentCall(for: call, at: now)
        ) { [changes, passwordRecord] stored in
            try stored.apply(changes, passwordRecord: passwordRecord, at: now)
            return .init(account: stored.account)
        }
    }

    func find(_ request: Identity.FindAccounts, _ call: BusCall) async throws -> Identity.FindAccounts.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard request.criteria.count <= Identity.FindAccounts.maximumCriteria else {
            throw ServiceError.tooManyCriteria
        }
        return .init(accounts: try await store.accounts(request.criteria, in: request.realm))
    }

    func delete(_ request: Identity.DeleteAccount, _ call: BusCall) async throws -> EmptyReply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard let id = request.accountID, !id.rawValue.isEmpty else { throw ServiceError(.missingAccountID) }
        try await store.delete(
            id, in: request.realm, at: now(),
            audit: AuditEntry(
                .accountDeleted, .administrator, request.realm, request.client, call, about: id, at: now()),
            idempotency: store.idempotentCall(for: call, at: now()))
        publish(.sessionsRevoked(request.realm, id))
        return EmptyReply()
    }

    /// A factor without an ID gets one.
    private func withIDs(_ entries: [Identity.FactorEntry]) -> [Identity.FactorEntry] {
        entries.map { entry in
            var entry = entry
            entry.id = entry.id ?? FactorID(randomBytes: randomBytes)
            return entry
        }
    }
}

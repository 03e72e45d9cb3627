import Bus
import Contracts
import ServiceRuntime
import Vocabulary

// MARK: Accounts

extension IdentityService {
    func createAccount(_ request: Identity.CreateAccount, _ call: BusCall) async throws -> Identity.CreateAccount.Reply
    {
        let project = try await dependencies.projects.projectForAdministration(
            request.realm, traceID: call.trace.traceID)
        if let id = request.accountID, !id.isAcceptable { throw IdentityError.invalidAccountID }
        var stored = emptyAccount(id: request.accountID ?? newAccountID(), in: request.realm)
        let changes = Identity.AccountChanges(
            email: request.email?.nilIfEmpty, emailVerified: request.emailVerified, displayName: request.displayName,
            photoURL: request.photoURL, phoneNumber: request.phoneNumber, disabled: request.disabled,
            secondFactors: request.secondFactors.map(withIDs))
        try stored.apply(changes, passwordRecord: nil, at: dependencies.now())
        if let text = request.password?.reveal() {
            let passwordRecord = try await record(of: text, for: stored.account.email, project, call)
            stored.setPassword(passwordRecord, at: dependencies.now())
        }
        return try await dependencies.store.create(
            stored,
            audit: auditEntry(
                .accountCreated, .administrator, request.realm, request.client, call, about: stored.account.id),
            once: idempotentCall(for: call), reply: .init(account: stored.account))
    }

    func updateAccount(_ request: Identity.UpdateAccount, _ call: BusCall) async throws -> Identity.UpdateAccount.Reply
    {
        let project = try await dependencies.projects.projectForAdministration(
            request.realm, traceID: call.trace.traceID)
        guard let id = request.accountID, !id.rawValue.isEmpty else { throw IdentityError.missingAccountID }
        guard let current = try await dependencies.store.account(id, in: request.realm) else {
            throw IdentityError.accountNotFound
        }
        var passwordRecord: String?
        if let text = request.changes.password?.reveal() {
            let email = request.changes.email.flatMap(EmailAddress.init) ?? current.account.email
            passwordRecord = try await record(of: text, for: email, project, call)
        }
        let now = dependencies.now()
        var changes = request.changes
        changes.secondFactors = changes.secondFactors.map(withIDs)
        return try await change(
            id, in: request.realm,
            audit: auditEntry(.accountUpdated, .administrator, request.realm, request.client, call, about: id),
            once: idempotentCall(for: call)
        ) { [changes, passwordRecord] stored in
            try stored.apply(changes, passwordRecord: passwordRecord, at: now)
            return .init(account: stored.account)
        }
    }

    func findAccounts(_ request: Identity.FindAccounts, _ call: BusCall) async throws -> Identity.FindAccounts.Reply {
        _ = try await dependencies.projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard request.criteria.count <= Identity.FindAccounts.maximumCriteria else {
            throw IdentityError.tooManyCriteria
        }
        return .init(accounts: try await dependencies.store.accounts(request.criteria, in: request.realm))
    }

    func deleteAccount(_ request: Identity.DeleteAccount, _ call: BusCall) async throws -> EmptyReply {
        _ = try await dependencies.projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard let id = request.accountID, !id.rawValue.isEmpty else { throw IdentityError.missingAccountID }
        try await dependencies.store.delete(
            id, in: request.realm, at: dependencies.now(),
            audit: auditEntry(.accountDeleted, .administrator, request.realm, request.client, call, about: id),
            once: idempotentCall(for: call))
        publishSessionsRevoked(id, in: request.realm)
        return EmptyReply()
    }

    /// Whoever names no id for a factor gets one.
    private func withIDs(_ entries: [Identity.FactorEntry]) -> [Identity.FactorEntry] {
        entries.map { entry in
            var entry = entry
            entry.id = entry.id ?? newFactorID()
            return entry
        }
    }
}

// MARK: - Configuration and keys

extension IdentityService {
    func readConfiguration(
        _ request: Identity.ReadConfiguration, _ call: BusCall
    ) async throws -> Identity.ReadConfiguration.Reply {
        let project = try await dependencies.projects.project(request.project, traceID: call.trace.traceID)
        return .init(
            configuration: project.configuration, revision: project.revision, projectNumber: project.number)
    }

    func replaceConfiguration(
        _ request: Identity.ReplaceConfiguration, _ call: BusCall
    ) async throws -> Identity.ReplaceConfiguration.Reply {
        let project = try await dependencies.projects.project(request.project, traceID: call.trace.traceID)
        var configuration = try request.configuration.checked(
            after: project.configuration, at: dependencies.now().text)
        try configuration.refuseIneffectiveSettings(after: project.configuration)
        // The key is the project's, whatever a document says: clients in the field carry it.
        configuration.client = configuration.client ?? .init()
        configuration.client?.apiKey = project.apiKey
        let realm = Realm(project: request.project)
        let reply = try await dependencies.store.replaceConfiguration(
            request.project, configuration, expectedRevision: request.expectedRevision,
            audit: auditEntry(.configurationChanged, .administrator, realm, request.client, call, about: nil),
            once: idempotentCall(for: call))
        await dependencies.projects.invalidate(request.project)
        dependencies.publish(.configurationChanged(realm))
        return reply
    }

    func resolveAPIKey(_ request: Identity.ResolveAPIKey) async throws -> Identity.ResolveAPIKey.Reply {
        guard let project = try await dependencies.store.project(apiKey: request.apiKey) else {
            throw IdentityError.unknownAPIKey
        }
        return .init(project: project)
    }

    func listSigningKeys(_ request: Identity.ListSigningKeys) async throws -> Identity.ListSigningKeys.Reply {
        .init(
            keys: dependencies.keys.published(request.purpose, at: dependencies.now().timestamp),
            maximumAgeSeconds: SigningKeySchedule.documentMaximumAgeSeconds)
    }
}

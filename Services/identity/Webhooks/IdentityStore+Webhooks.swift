import Contracts
import MasterKey
import SQL
import Vocabulary

extension IdentityStore {
    /// The signing secrets of webhooks.
    static let sealedWebhookSecrets = SealedColumn(WebhookTable.sealedSecrets)

    /// Adds a webhook.
    /// - Throws: `tooManyWebhooks`.
    func createWebhook<Reply: Codable & Sendable>(
        _ stored: StoredWebhook, audit: AuditEntry, idempotency: IdempotentCall?, reply: Reply
    ) async throws -> Reply {
        try await write(idempotency: idempotency) { [self] transaction in
            let count: Int =
                try transaction.firstRow(WebhookTable.count, [.project: stored.webhook.project])?
                .get(computed: "count") ?? 0
            guard count < Identity.Webhook.maximumCount else { throw ServiceError(.tooManyWebhooks) }
            try transaction.execute(WebhookTable.insertion, stored.columns(sealedSecrets: try sealSecrets(of: stored)))
            try transaction.append(audit)
            return reply
        }
    }

    func webhooks(of project: ProjectID) async throws -> [Identity.Webhook] {
        try await read { [self] transaction in
            try transaction.rows(WebhookTable.ofProject, [.project: project]).map { try open($0).webhook }
        }
    }

    /// - Throws: `webhookNotFound`.
    func webhook(_ id: WebhookID, of project: ProjectID) async throws -> StoredWebhook {
        try await read { [self] transaction in try webhook(id, of: project, transaction) }
    }

    /// Reads, changes and writes a webhook in one transaction. Its revision increases.
    /// - Parameter change: must be pure: it may run more than once.
    /// - Throws: `webhookNotFound`, and errors of `change`.
    func changeWebhook<Reply: Codable & Sendable>(
        _ id: WebhookID, of project: ProjectID, audit: AuditEntry, idempotency: IdempotentCall?,
        _ change: @Sendable @escaping (inout StoredWebhook) throws -> Reply
    ) async throws -> Reply {
        try await write(idempotency: idempotency) { [self] transaction in
            var stored = try webhook(id, of: project, transaction)
            stored.webhook.revision = stored.webhook.revision.addingSaturated(1)
            let reply = try change(&stored)
            try transaction.execute(
                WebhookTable.replacement,
                [.webhookID: id] + stored.changeableColumns(sealedSecrets: try sealSecrets(of: stored)))
            try transaction.append(audit)
            return reply
        }
    }

    /// Records a test event for one webhook.
    /// - Throws: `webhookNotFound`, `invalidWebhook`.
    func recordWebhookTest(
        _ id: WebhookID, of project: ProjectID, at now: Moment, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> Identity.TestWebhook.Reply {
        try await write(idempotency: idempotency) { [self] transaction in
            guard try !webhook(id, of: project, transaction).webhook.isDisabled else {
                throw ServiceError(.invalidWebhook, "The webhook is disabled.")
            }
            let event = AccountEvent(
                id: .random(), kind: .test, realm: Realm(project: project), accountID: nil, occurredAt: now,
                sequence: now.milliseconds)
            try transaction.execute(
                AccountEventTable.insertion,
                try Notifier.AcceptAccountEvents.Item(event: event, webhooks: [id]).columns)
            try transaction.append(audit)
            return .init(eventID: event.id)
        }
    }

    /// Reads a row. Only in the body of a transaction: it may read the master-key file.
    func open(_ row: SQLTableRow<WebhookTable>) throws -> StoredWebhook {
        let id: WebhookID = try row.get(.webhookID)
        return try StoredWebhook(
            row,
            secrets: try sealingKeys.open(
                json: try row.get(.sealedSecrets), binding: Self.sealedWebhookSecrets.binding(.text(id.rawValue))))
    }

    private func webhook(
        _ id: WebhookID, of project: ProjectID, _ transaction: borrowing SQLTransaction
    ) throws -> StoredWebhook {
        guard let row = try transaction.firstRow(WebhookTable.byKey, [.webhookID: id, .project: project]) else {
            throw ServiceError(.webhookNotFound)
        }
        return try open(row)
    }

    private func sealSecrets(of stored: StoredWebhook) throws -> [UInt8] {
        try sealingKeys.seal(
            json: stored.secrets,
            binding: Self.sealedWebhookSecrets.binding(.text(stored.webhook.id.rawValue)))
    }
}

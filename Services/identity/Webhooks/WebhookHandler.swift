import Bus
import Contracts
import Vocabulary

/// Creates, reads, changes, deletes and tests webhooks. The notifier delivers the events.
struct WebhookHandler: IdentityComponent {
    let context: IdentityContext

    func create(_ request: Identity.CreateWebhook, _ call: BusCall) async throws -> Identity.WebhookWithSecret {
        _ = try await projects.project(request.project, traceID: call.trace.traceID)
        try WebhookRules.check(url: request.url, isDev: isDev)
        try WebhookRules.check(kinds: request.kinds)
        let secret = randomBytes(WebhookRules.secretBytes)
        let webhook = Identity.Webhook(
            id: WebhookID(randomBytes(16).hexadecimal), project: request.project, url: request.url,
            kinds: request.kinds,
            isDisabled: request.isDisabled, createdAt: now(), revision: 1)
        return try await store.createWebhook(
            StoredWebhook(
                webhook: webhook, secrets: WebhookRules.rotating([], to: secret, at: now()), acceptedRevision: 0,
                isDeleted: false),
            audit: entry(.webhookCreated, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now()),
            reply: Identity.WebhookWithSecret(webhook: webhook, secret: Secret(WebhookRules.text(ofSecret: secret))))
    }

    func list(_ request: Identity.ListWebhooks, _ call: BusCall) async throws -> Identity.ListWebhooks.Reply {
        _ = try await projects.project(request.project, traceID: call.trace.traceID)
        return .init(webhooks: try await store.webhooks(of: request.project))
    }

    func read(_ request: Identity.ReadWebhook) async throws -> Identity.Webhook {
        try await store.webhook(request.id, of: request.project).webhook
    }

    func update(_ request: Identity.UpdateWebhook, _ call: BusCall) async throws -> Identity.Webhook {
        if let url = request.url { try WebhookRules.check(url: url, isDev: isDev) }
        if let kinds = request.kinds { try WebhookRules.check(kinds: kinds) }
        return try await store.changeWebhook(
            request.id, of: request.project, audit: entry(.webhookChanged, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now())
        ) { stored in
            stored.webhook.url = request.url ?? stored.webhook.url
            stored.webhook.kinds = request.kinds ?? stored.webhook.kinds
            stored.webhook.isDisabled = request.isDisabled ?? stored.webhook.isDisabled
            return stored.webhook
        }
    }

    func delete(_ request: Identity.DeleteWebhook, _ call: BusCall) async throws -> EmptyReply {
        try await store.changeWebhook(
            request.id, of: request.project, audit: entry(.webhookDeleted, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now())
        ) { stored in
            stored.isDeleted = true
            stored.secrets = []
            return EmptyReply()
        }
    }

    func rotateSecret(
        _ request: Identity.RotateWebhookSecret, _ call: BusCall
    ) async throws -> Identity.WebhookWithSecret {
        let (secret, now) = (randomBytes(WebhookRules.secretBytes), now())
        return try await store.changeWebhook(
            request.id, of: request.project,
            audit: entry(.webhookSecretRotated, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now)
        ) { stored in
            stored.secrets = WebhookRules.rotating(stored.secrets, to: secret, at: now)
            return .init(webhook: stored.webhook, secret: Secret(WebhookRules.text(ofSecret: secret)))
        }
    }

    func test(_ request: Identity.TestWebhook, _ call: BusCall) async throws -> Identity.TestWebhook.Reply {
        try await store.recordWebhookTest(
            request.id, of: request.project, at: now(),
            audit: entry(.webhookTested, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now()))
    }

    private func entry(
        _ action: AuditEntry.Action, _ project: ProjectID, _ client: ClientContext, _ call: BusCall
    ) -> AuditEntry {
        AuditEntry(action, .administrator, Realm(project: project), client, call, about: nil, at: now())
    }
}

package import Bus
package import Contracts
import DatabaseService
package import Vocabulary

/// Accepts messages and reports their delivery. This file dispatches each operation to its handler. `MessageOutbox`
/// sends the messages.
package struct NotifierService: NotifierComponent {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: NotifierStore
        package var limits: EmailLimits
        package var counters: DeliveryMetrics
        /// Channels that this process should serve but that are not configured: their messages are refused. Messages of
        /// channels that other processes serve are accepted, and pushes of applications with a key of their project.
        package var unconfiguredChannels: Set<Channel> = []
        /// Verifies delivery receipts of SMS providers; nil without configured providers.
        package var receipts: DeliveryReceiptVerifier?
        /// Wakes the delivery loops of a channel.
        package var wakeDelivery: @Sendable (Channel) -> Void
        package var webhookMetrics: WebhookMetrics
        /// Wakes the delivery loop of webhooks.
        package var wakeWebhooks: @Sendable () -> Void
        package var peers: any BusRequestSending
        var auditedChanges: NotifierChangeOutbox
        package var isDev: Bool
    }

    let dependencies: Dependencies

    private var accountEvents: AccountEventHandler { .init(dependencies: dependencies) }
    private var apnsKeys: APNsKeyHandler { .init(dependencies: dependencies) }

    package func handle(_ operation: Notifier.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .sendEmail: try await call.reply(with: sendEmail)
        case .sendSMS: try await call.reply(with: sendSMS)
        case .sendPush: try await call.reply(with: sendPush)
        case .recordReceipt: try await call.reply(with: recordReceipt)
        case .listDeliveries: try await call.reply(with: listDeliveries)
        case .acceptAccountEvents: try await call.reply(with: accountEvents.accept)
        case .readWebhookStatus: try await call.reply(with: accountEvents.readStatus)
        case .replayAccountEvents: try await call.reply(with: accountEvents.replay)
        case .addAPNsKey: try await call.reply(with: apnsKeys.add)
        case .listAPNsKeys: try await call.reply(with: apnsKeys.list)
        case .removeAPNsKey: try await call.reply(with: apnsKeys.remove)
        case .listInboxMessages: try await call.reply(with: listInboxMessages)
        }
    }

    private func sendEmail(
        _ request: Notifier.SendEmail, _ call: BusCall
    ) async throws -> Notifier.SendEmail.Reply {
        .init(messageID: try await accept(.email(request), call))
    }

    private func sendSMS(_ request: Notifier.SendSMS, _ call: BusCall) async throws -> Notifier.SendSMS.Reply {
        .init(messageID: try await accept(.sms(request), call))
    }

    private func sendPush(_ request: Notifier.SendPush, _ call: BusCall) async throws -> Notifier.SendPush.Reply {
        .init(messageID: try await accept(.push(request), call))
    }

    private func accept(_ content: OutgoingMessage, _ call: BusCall) async throws -> MessageID {
        try content.check()
        if dependencies.unconfiguredChannels.contains(content.channel) { try await requireKey(for: content) }
        let incoming = MessageSubmission(
            id: MessageID(dependencies.randomBytes(16).hexadecimal), content: content,
            // Without an idempotency key the id of the call is used, which is unique.
            idempotencyKey: call.idempotencyKey ?? call.id,
            paramsDigest: store.digest(call.canonicalParams), trace: call.trace)
        let (id, accepted) = try await store.accept(
            incoming, limits: dependencies.limits, at: now())
        if let accepted {
            dependencies.counters.countAccepted(accepted)
            dependencies.wakeDelivery(content.channel)
        }
        return id
    }

    /// A push is the only message that can have a key of its project.
    private func requireKey(for content: OutgoingMessage) async throws {
        switch content {
        case .push(let request):
            if try await store.apnsKey(for: request) != nil { return }
        case .email, .sms: break
        }
        throw ServiceError.channelNotConfigured(content.channel)
    }

    private func recordReceipt(_ request: Notifier.RecordReceipt) async throws -> EmptyReply {
        guard let receipts = dependencies.receipts else { throw ServiceError.channelNotConfigured(.sms) }
        let now = now()
        let receipt = try receipts.verify(request, at: now)
        if let confirmed = try await store.recordReceipt(receipt, at: now) {
            dependencies.counters.countAttempt(confirmed, at: now)
        }
        dependencies.counters.countReceipt(of: receipt.provider, receipt.receipt)
        return EmptyReply()
    }

    private func listDeliveries(_ request: Notifier.ListDeliveries) async throws -> Notifier.ListDeliveries.Reply {
        try request.checkLimit()
        return .init(
            deliveries: try await store.deliveries(of: request.project, limit: request.limit))
    }

    private func listInboxMessages(_ request: Notifier.ListInboxMessages) async throws
        -> Notifier.ListInboxMessages.Reply
    {
        guard dependencies.isDev else {
            throw ServiceError(.operationNotAllowed, "There is an inbox in development mode only.")
        }
        try request.checkLimit()
        return .init(messages: try await store.inbox(of: request.recipient, limit: request.limit))
    }
}

/// The service, or one of its handlers. It keeps the dependencies whole.
protocol NotifierComponent: Sendable {
    var dependencies: NotifierService.Dependencies { get }
}

extension NotifierComponent {
    var now: @Sendable () -> Moment { dependencies.now }
    var store: NotifierStore { dependencies.store }

    func randomID() -> String { dependencies.randomBytes(16).hexadecimal }

    /// What an administrator does, for the audit log of identity.
    func change(
        _ change: Identity.RecordNotifierChange.Change, in project: ProjectID, _ client: ClientContext, _ call: BusCall
    ) -> NotifierChange {
        NotifierChange(id: randomID(), change, in: Realm(project: project), by: client, call, at: now())
    }
}

extension ServiceError {
    static func channelNotConfigured(_ channel: Notifier.Channel) -> ServiceError {
        ServiceError(.unavailable, "Nothing is set up that delivers \(channel.rawValue).")
    }
}

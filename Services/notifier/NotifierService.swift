package import Bus
package import Contracts
package import Vocabulary

/// Accepts messages and reports their delivery. This file dispatches each operation to its handler. `MessageOutbox`
/// sends the messages.
package final class NotifierService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: NotifierStore
        package var limits: EmailLimits
        package var counters: DeliveryMetrics
        /// Channels that this process should serve but that are not configured: their messages are refused. Messages of
        /// channels that other processes serve are accepted.
        package var unconfiguredChannels: Set<Channel> = []
        /// Verifies delivery receipts of SMS providers; nil without configured providers.
        package var receipts: DeliveryReceiptVerifier?
        /// Wakes the delivery workers of a channel.
        package var wakeWorkers: @Sendable (Channel) -> Void
        package var webhookMetrics: WebhookMetrics
        /// Wakes the worker of webhooks.
        package var wakeWebhookWorker: @Sendable () -> Void
        package var isDev: Bool
    }

    private let dependencies: Dependencies
    private let accountEvents: AccountEventHandler

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        accountEvents = AccountEventHandler(
            now: dependencies.now, store: dependencies.store, metrics: dependencies.webhookMetrics,
            wakeWorker: dependencies.wakeWebhookWorker)
    }

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
        guard !dependencies.unconfiguredChannels.contains(content.channel) else {
            throw ServiceError.channelNotConfigured(content.channel)
        }
        let incoming = MessageSubmission(
            id: MessageID(dependencies.randomBytes(16).hexadecimal), content: content,
            // Without an idempotency key the id of the call is used, which is unique.
            idempotencyKey: call.idempotencyKey ?? call.id,
            paramsDigest: dependencies.store.digest(call.canonicalParams))
        let (id, accepted) = try await dependencies.store.accept(
            incoming, limits: dependencies.limits, at: dependencies.now())
        if let accepted {
            dependencies.counters.countAccepted(accepted)
            dependencies.wakeWorkers(content.channel)
        }
        return id
    }

    private func recordReceipt(_ request: Notifier.RecordReceipt) async throws -> EmptyReply {
        guard let receipts = dependencies.receipts else { throw ServiceError.channelNotConfigured(.sms) }
        let now = dependencies.now()
        let receipt = try receipts.verify(request, at: now)
        if let confirmed = try await dependencies.store.recordReceipt(receipt, at: now) {
            dependencies.counters.countAttempt(confirmed, at: now)
        }
        dependencies.counters.countReceipt(of: receipt.provider, receipt.receipt)
        return EmptyReply()
    }

    private func listDeliveries(_ request: Notifier.ListDeliveries) async throws -> Notifier.ListDeliveries.Reply {
        guard (1...Notifier.ListDeliveries.maximumCount).contains(request.limit) else {
            throw ServiceError(.invalidRequest, "The count is not 1 to \(Notifier.ListDeliveries.maximumCount).")
        }
        return .init(
            deliveries: try await dependencies.store.deliveries(of: request.project, limit: request.limit))
    }

    private func listInboxMessages(_ request: Notifier.ListInboxMessages) async throws
        -> Notifier.ListInboxMessages.Reply
    {
        guard dependencies.isDev else {
            throw ServiceError(.operationNotAllowed, "There is an inbox in development mode only.")
        }
        guard (1...Notifier.ListInboxMessages.maximumCount).contains(request.limit) else {
            throw ServiceError(.invalidRequest, "The count is not 1 to \(Notifier.ListInboxMessages.maximumCount).")
        }
        return .init(messages: try await dependencies.store.inbox(of: request.recipient, limit: request.limit))
    }
}

extension ServiceError {
    static func channelNotConfigured(_ channel: Notifier.Channel) -> ServiceError {
        ServiceError(.unavailable, "Nothing is set up that delivers \(channel.rawValue).")
    }
}

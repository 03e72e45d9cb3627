package import Bus
package import Contracts
package import Vocabulary

/// Takes messages in, and tells what became of them. This file is the table of contents: one operation, one handler.
/// `DeliveryWorker` takes them out.
package struct NotifierService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: NotifierStore
        package var limits: EmailLimits
        package var counters: DeliveryMetrics
        /// Channels that this process should serve and cannot: their messages are refused. Those of channels that are
        /// left to other processes are accepted.
        package var unconfiguredChannels: Set<Channel>
        /// Checks what providers of text messages tell; nil where none is set up.
        package var receipts: DeliveryReceiptVerifier?
        /// Tells the couriers that something waits.
        package var wakeWorkers: @Sendable (Channel) -> Void
        package var isDev: Bool

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: NotifierStore, limits: EmailLimits, counters: DeliveryMetrics,
            unconfiguredChannels: Set<Channel> = [],
            receipts: DeliveryReceiptVerifier? = nil, wakeWorkers: @escaping @Sendable (Channel) -> Void, isDev: Bool
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.limits = limits
            self.counters = counters
            self.unconfiguredChannels = unconfiguredChannels
            self.receipts = receipts
            self.wakeWorkers = wakeWorkers
            self.isDev = isDev
        }
    }

    private let dependencies: Dependencies

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
    }

    package func handle(_ operation: Notifier.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .sendEmail: try await call.reply(with: sendEmail)
        case .sendSMS: try await call.reply(with: sendSMS)
        case .sendPush: try await call.reply(with: sendPush)
        case .recordReceipt: try await call.reply(with: recordReceipt)
        case .listDeliveries: try await call.reply(with: listDeliveries)
        case .listInboxMessages: try await call.reply(with: listInboxMessages)
        }
    }

    /// What `error` is on the wire; nil for anything we did not expect.
    package static func wireError(_ error: any Error) -> WireError? {
        (error as? NotifierError).map { WireError($0) }
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
            throw NotifierError.channelNotConfigured(content.channel)
        }
        let incoming = MessageSubmission(
            id: MessageID(dependencies.randomBytes(16).hexadecimal), content: content,
            // A caller without a key asks once: nobody else has the id of its call.
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
        guard let receipts = dependencies.receipts else { throw NotifierError.channelNotConfigured(.sms) }
        let now = dependencies.now()
        let statement = try receipts.verify(request, at: now)
        if let confirmed = try await dependencies.store.recordReceipt(statement, at: now) {
            dependencies.counters.countAttempt(confirmed, at: now)
        }
        dependencies.counters.countReceipt(of: statement.provider, statement.receipt)
        return EmptyReply()
    }

    private func listDeliveries(_ request: Notifier.ListDeliveries) async throws -> Notifier.ListDeliveries.Reply {
        guard (1...Notifier.ListDeliveries.maximumCount).contains(request.count) else {
            throw NotifierError.invalidRequest("The count is not 1 to \(Notifier.ListDeliveries.maximumCount).")
        }
        return .init(
            deliveries: try await dependencies.store.deliveries(of: request.project, count: request.count))
    }

    private func listInboxMessages(_ request: Notifier.ListInboxMessages) async throws
        -> Notifier.ListInboxMessages.Reply
    {
        guard dependencies.isDev else { throw NotifierError.devModeOnly }
        guard (1...Notifier.ListInboxMessages.maximumCount).contains(request.count) else {
            throw NotifierError.invalidRequest("The count is not 1 to \(Notifier.ListInboxMessages.maximumCount).")
        }
        return .init(messages: try await dependencies.store.inbox(of: request.recipient, count: request.count))
    }
}

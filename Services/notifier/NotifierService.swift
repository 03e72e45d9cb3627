package import Bus
package import Contracts
package import Vocabulary

/// Takes messages in, and tells what became of them. This file is the table of contents: one operation, one handler.
/// `Courier` takes them out.
package struct NotifierService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: NotifierStore
        package var limits: SendLimits
        package var counters: DeliveryCounters
        /// Channels that this process should serve and cannot: their messages are refused. Those of channels that are left
        /// to other processes are accepted.
        package var unservable: Set<Channel>
        /// Checks what providers of text messages tell; nil where none is set up.
        package var receipts: SMSReceipts?
        /// Tells the couriers that something waits.
        package var wakeCouriers: @Sendable (Channel) -> Void
        package var isDev: Bool

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: NotifierStore, limits: SendLimits, counters: DeliveryCounters, unservable: Set<Channel> = [],
            receipts: SMSReceipts? = nil, wakeCouriers: @escaping @Sendable (Channel) -> Void, isDev: Bool
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.limits = limits
            self.counters = counters
            self.unservable = unservable
            self.receipts = receipts
            self.wakeCouriers = wakeCouriers
            self.isDev = isDev
        }
    }

    private let dependencies: Dependencies

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
    }

    package func handle(_ operation: Notifier.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .sendEmail: try await call.answer(sendEmail)
        case .sendSMS: try await call.answer(sendSMS)
        case .sendPush: try await call.answer(sendPush)
        case .recordReceipt: try await call.answer(recordReceipt)
        case .readDeliveries: try await call.answer(readDeliveries)
        case .readInbox: try await call.answer(readInbox)
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
        guard !dependencies.unservable.contains(content.channel) else { throw NotifierError.noWayOut(content.channel) }
        let incoming = IncomingMessage(
            id: MessageID(Self.hexadecimal(dependencies.randomBytes(16))), content: content,
            // A caller without a key asks once: nobody else has the id of its call.
            idempotencyKey: call.idempotencyKey ?? call.id,
            paramsDigest: dependencies.store.digest(call.canonicalParams))
        let (id, accepted) = try await dependencies.store.accept(
            incoming, limits: dependencies.limits, at: dependencies.now())
        if let accepted {
            dependencies.counters.countAccepted(accepted)
            dependencies.wakeCouriers(content.channel)
        }
        return id
    }

    private func recordReceipt(_ request: Notifier.RecordReceipt) async throws -> Done {
        guard let receipts = dependencies.receipts else { throw NotifierError.noWayOut(.sms) }
        let now = dependencies.now()
        let statement = try receipts.statement(request, at: now)
        if let confirmed = try await dependencies.store.record(statement, at: now) {
            dependencies.counters.countAttempt(confirmed, at: now)
        }
        dependencies.counters.countReceipt(of: statement.provider, statement.receipt)
        return Done()
    }

    private func readDeliveries(_ request: Notifier.ReadDeliveries) async throws -> Notifier.ReadDeliveries.Reply {
        guard (1...Notifier.ReadDeliveries.maximumCount).contains(request.count) else {
            throw NotifierError.invalidRequest("The count is not 1 to \(Notifier.ReadDeliveries.maximumCount).")
        }
        return .init(
            deliveries: try await dependencies.store.deliveries(of: request.project, count: request.count))
    }

    private func readInbox(_ request: Notifier.ReadInbox) async throws -> Notifier.ReadInbox.Reply {
        guard dependencies.isDev else { throw NotifierError.noInbox }
        guard (1...Notifier.ReadInbox.maximumCount).contains(request.count) else {
            throw NotifierError.invalidRequest("The count is not 1 to \(Notifier.ReadInbox.maximumCount).")
        }
        return .init(messages: try await dependencies.store.inbox(of: request.recipient, count: request.count))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

package import Bus
package import Contracts
package import Delivery
import SQL
package import ServiceRuntime
package import Tracing
package import Vocabulary

/// The changes of a service for the audit log of identity, oldest first. A change is stored in the transaction that makes
/// it, and deleted when identity has recorded it, so that none is lost. Identity records each once.
package struct AuditedChangeOutbox<Table: AuditedChangeTable>: Outbox {
    package typealias Change = AuditedChange<Table.Request>

    /// One request at a time keeps the order.
    package static var limits: DeliveryLimits { .service(attempts: 1) }
    /// The administrator waits meanwhile.
    private static var firstTimeout: Duration { .seconds(1) }
    private static var timeout: Duration { .seconds(5) }

    package var name: String { Table.outbox }
    private let database: any SQLDatabase
    private let peers: any BusRequestSending
    private let log: Log

    package init(in store: some ServiceStore, peers: any BusRequestSending, log: Log) {
        database = store.serviceDatabase.database
        self.peers = peers
        self.log = log
    }

    /// Repeats requests that identity did not answer.
    /// - Parameter spans: records the attempts.
    package func loop(recordingIn spans: SpanRecorder?) -> DeliveryLoop<Self> {
        DeliveryLoop(
            self, Self.limits, every: .seconds(10), DeliveryEnvironment(on: LocalMachine(), spans: spans, log: log))
    }

    /// Records a change directly after its transaction. After an error, the loop records it later.
    package func record(_ change: Change) async {
        do {
            switch await send(change, timeout: Self.firstTimeout) {
            case .accepted: try await delete(change)
            case .rejected(let code), .failed(let code), .unavailable(let code): throw ServiceError(code)
            case .interrupted: break
            }
        } catch {
            log.warn(.auditDelayed, ["outbox": .public(name), "error": .kind(of: error)], trace: change.trace)
        }
    }

    /// Changes that identity has not recorded, oldest first.
    package func unrecorded(limit: Int) async throws -> [Change] {
        try await database.read { transaction in
            try transaction.rows(Table.oldest, [:], limit).map { try Change($0) }
        }
    }

    private func delete(_ change: Change) async throws {
        try await database.write { transaction in
            try transaction.execute(Table.removal, [Table.changeID: change.id])
        }
    }

    private func send(_ change: Change, timeout: Duration) async -> HandoverOutcome {
        await HandoverOutcome.of {
            try await peers.send(
                change.request,
                CallOptions(trace: change.trace.child(), timeout: timeout, idempotencyKey: change.id))
        }.outcome
    }

    // MARK: Outbox

    package func receivers(at now: Moment) async throws -> [SoleReceiver] { [.sole] }

    package func lease(upTo count: Int, for receiver: SoleReceiver, at now: Moment) async throws -> [Change] {
        try await unrecorded(limit: count)
    }

    package func attempt(_ change: Change) async -> HandoverOutcome { await send(change, timeout: Self.timeout) }

    package func origins(of change: Change) -> [TraceContext] { [change.trace] }

    package func report(_ outcome: HandoverOutcome, of change: Change) -> ReceiverReport { outcome.reportOfFirstRows }

    package func record(
        _ outcome: HandoverOutcome, of change: Change, at now: Moment, jitter: Double
    ) async throws {
        switch outcome {
        case .accepted: try await delete(change)
        case .rejected, .failed, .unavailable, .interrupted: break
        }
    }

    package func show(_ change: OutageChange, of receiver: SoleReceiver, at now: Moment) async {
        show(change, ofService: "identity", in: log)
    }
}

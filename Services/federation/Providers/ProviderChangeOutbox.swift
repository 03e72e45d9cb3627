import Bus
import Contracts
import Delivery
import ServiceRuntime
import Vocabulary

/// The changes of configurations for the audit log of identity, oldest first. A change is stored in the transaction that
/// makes it, and deleted when identity has recorded it, so that none is lost. Identity records each once.
struct ProviderChangeOutbox: Outbox {
    /// One request at a time keeps the order.
    static let limits = DeliveryLimits.service(attempts: 1)
    /// The administrator waits meanwhile.
    private static let firstTimeout = Duration.seconds(1)
    private static let timeout = Duration.seconds(5)

    let store: FederationStore
    let peers: any BusRequestSending
    let log: Log

    var name: String { "provider-changes" }

    /// Records a change directly after its transaction. After an error, the loop records it later.
    func record(_ change: ProviderChange) async {
        do {
            switch await send(change, timeout: Self.firstTimeout) {
            case .accepted: try await store.deleteChange(change.id)
            case .rejected(let code), .failed(let code), .unavailable(let code): throw ServiceError(code)
            case .interrupted: break
            }
        } catch {
            log.warn("federation.audit-delayed", ["error": .kind(of: error)], trace: change.trace)
        }
    }

    func receivers(at now: Moment) async throws -> [SoleReceiver] { [.sole] }

    func lease(upTo count: Int, for receiver: SoleReceiver, at now: Moment) async throws -> [ProviderChange] {
        try await store.unrecordedChanges(limit: count)
    }

    func attempt(_ change: ProviderChange) async -> HandoverOutcome { await send(change, timeout: Self.timeout) }

    private func send(_ change: ProviderChange, timeout: Duration) async -> HandoverOutcome {
        await HandoverOutcome.of {
            try await peers.send(
                change.request,
                CallOptions(trace: change.trace.child(), timeout: timeout, idempotencyKey: change.id))
        }.outcome
    }

    func report(_ outcome: HandoverOutcome, of change: ProviderChange) -> ReceiverReport { outcome.reportOfFirstRows }

    func record(_ outcome: HandoverOutcome, of change: ProviderChange, at now: Moment, jitter: Double) async throws {
        switch outcome {
        case .accepted: try await store.deleteChange(change.id)
        case .rejected, .failed, .unavailable, .interrupted: break
        }
    }

    func show(_ change: OutageChange, of receiver: SoleReceiver, at now: Moment) async {
        show(change, ofService: "identity", in: log)
    }
}

import Contracts
import Delivery
import ServiceRuntime
import Synchronization

/// The key or certificate of the settings, which sends the pushes of applications without a key of their project.
///
/// While Apple refuses it, one of its pushes at a time probes whether Apple accepts it again, and the others wait. This is
/// no outage of the channel: the pushes of the keys of projects go on.
final class InstallationPush: Sendable {
    private struct State {
        var receivers: ReceiverStates<Channel>
        /// Why Apple refused the key last.
        var refusal = DeliveryFailure(.authentication)
    }

    private let apns: APNsTransport
    private let state: Mutex<State>
    private let counters: DeliveryMetrics
    private let log: Log
    /// The steady clock.
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let jitter: @Sendable () -> Double

    /// - Parameter connections: maximum concurrent pushes.
    init(
        _ apns: APNsTransport, connections: Int, counters: DeliveryMetrics, log: Log,
        instant: @escaping @Sendable () -> ContinuousClock.Instant, jitter: @escaping @Sendable () -> Double
    ) {
        self.apns = apns
        self.counters = counters
        self.log = log
        self.instant = instant
        self.jitter = jitter
        state = Mutex(
            State(
                receivers: ReceiverStates(
                    DeliveryLimits(attempts: connections, backoff: Channel.push.transportBackoff))))
    }

    /// Sends one push. It returns soon after its task is cancelled.
    func deliver(_ push: PushMessage) async -> DeliveryOutcome {
        if let refusal = begin() { return .deferred(refusal) }
        let outcome = await resultUnlessCancelled { await self.apns.deliver(push) } ?? .interrupted
        return end(outcome)
    }

    /// - Returns: why the push must wait; nil if it may be sent.
    private func begin() -> DeliveryFailure? {
        state.withLock { state in
            guard state.receivers.room(for: .push, at: instant()) > 0 else { return state.refusal }
            state.receivers.begin(.push)
            return nil
        }
    }

    private func end(_ outcome: DeliveryOutcome) -> DeliveryOutcome {
        let refusal = apns.refusal(of: outcome)
        let report: ReceiverReport =
            switch outcome {
            case .transportUnavailable: refusal.map { .unavailable(reason: $0.text) } ?? .nothing
            case .sent: .works
            // Apple does not look at a push before it has accepted the key. One that could not be sent says nothing.
            case .rejected(let problem): problem.kind == .unsendable ? .nothing : .works
            case .deferred, .uncertain, .interrupted: .nothing
            }
        state.withLock { state in
            if let refusal { state.refusal = refusal }
            let change = state.receivers.end(.push, report, at: instant(), jitter: jitter())
            // Under the lock: the end must not be shown before the beginning.
            if let change { counters.show(change, ofKeyOf: .push, log) }
        }
        return refusal.map { .deferred($0) } ?? outcome
    }
}

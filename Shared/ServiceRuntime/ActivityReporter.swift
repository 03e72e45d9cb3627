package import Bus
import Contracts
import EventLoop
import Synchronization

/// Sends what this process has counted to identity, every few seconds and when the process stops. A request whose reply was
/// lost is sent again under its key, so that nothing counts twice.
package struct ActivityReporter: SignaledComponent {
    private struct Batch: Sendable {
        var request: Identity.RecordActivity
        var idempotencyKey: String
    }

    private final class Unconfirmed: Sendable {
        let batch = Mutex<Batch?>(nil)
    }

    private let counts: ActivityCounts
    private let peers: any BusRequestSending
    private let interval: Duration
    private let log: Log
    private let unconfirmed = Unconfirmed()
    package let stop = StopSignal()

    private static let timeout = Duration.seconds(5)
    /// While the process stops. Identity may have stopped before.
    private static let lastTimeout = Duration.milliseconds(500)

    package init(
        _ counts: ActivityCounts, peers: any BusRequestSending, every interval: Duration = .seconds(15), log: Log
    ) {
        self.counts = counts
        self.peers = peers
        self.interval = interval
        self.log = log
    }

    package func run() async throws {
        await stop.run {
            // The only error of a sleep is its cancellation, which is how this ends.
            while (try? await EventLoop.sleep(forAbout: interval)) != nil { await report(timeout: Self.timeout) }
        }
        await report(timeout: Self.lastTimeout)
    }

    /// Sends until nothing is left. If identity does not reply, the rest waits for the next time.
    func report(timeout: Duration) async {
        let dropped = counts.takeDropped()
        if dropped > 0 { log.warn(.activityDropped, ["count": .public(dropped)]) }
        while let batch = next() {
            do throws(ServiceError) {
                _ = try await peers.send(
                    batch.request, trace: .random(), timeout: timeout, idempotencyKey: batch.idempotencyKey)
            } catch {
                guard error.isRefusal else { return }
                log.error(.activityRefused, ["error": .kind(of: error)])
            }
            unconfirmed.batch.withLock { $0 = nil }
        }
    }

    private func next() -> Batch? {
        unconfirmed.batch.withLock { batch in
            if let batch { return batch }
            let entries = counts.take()
            guard !entries.isEmpty else { return nil }
            batch = Batch(request: .init(entries: entries), idempotencyKey: RequestID.random().description)
            return batch
        }
    }
}

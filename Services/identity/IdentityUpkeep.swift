import Bus
package import Contracts
package import SQL
package import ServiceRuntime
import Vocabulary

/// What identity does of itself: every second it links the audit log and takes up what other processes changed; once a
/// minute it renews signing keys on their schedule, sweeps out what is past its time, and anchors the audit log. In
/// between it listens to the events of the other processes.
package struct IdentityUpkeep: RunningPart {
    /// A start has more urgent things to do than a round.
    private static let firstPause = Duration.seconds(5)

    private let service: IdentityService
    private let events: AsyncStream<BusEvent>
    private let log: Log
    /// Ends when the process stops.
    private let running: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    package init(_ service: IdentityService, events: AsyncStream<BusEvent>, log: Log) {
        self.service = service
        self.events = events
        self.log = log
        running = AsyncStream.makeStream(of: Never.self)
    }

    package func run() async throws {
        await withTaskGroup { group in
            group.addTask { for await event in events { await service.receive(event) } }
            group.addTask { await repeating(every: .seconds(1), from: .seconds(1)) { try await service.catchUp() } }
            group.addTask {
                await repeating(every: .seconds(60), from: Self.firstPause) {
                    guard let anchor = try await service.keepUp() else { return }
                    log.info("audit.anchored", ["link": .public(anchor.number), "chain": .public(anchor.hash)])
                }
            }
            for await _ in running.stream {}
            group.cancelAll()
        }
    }

    package func beginShutdown() async {
        running.continuation.finish()
    }

    private func repeating(
        every interval: Duration, from first: Duration, _ round: @Sendable () async throws -> Void
    ) async {
        var pause = first
        var isFailing = false
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await Task.sleep(for: pause)) != nil {
            pause = interval
            do {
                try await round()
                isFailing = false
            } catch {
                // Told once and tried again: the mesh lives long without a round.
                if !isFailing { log.error("identity.upkeep-failed", ["error": .kind(of: error)]) }
                isFailing = true
            }
        }
    }
}

extension IdentityService {
    /// Links what was added to the audit log, and takes up signing keys that another process made.
    package func catchUp() async throws {
        try await dependencies.keys.refresh()
        try await dependencies.store.linkAudit()
    }

    /// The end of the audit log when an anchor was taken of it.
    package struct Anchor: Equatable, Sendable {
        package var number: Int64
        /// Hexadecimal.
        package var hash: String
    }

    /// Makes keys that are due, removes what has expired and what deleted tenants left behind, and anchors the audit log.
    /// - Returns: the anchor, if there was anything new to hold.
    @discardableResult
    package func keepUp() async throws -> Anchor? {
        let trace = TraceContext.random().traceID
        for purpose in Identity.ReadSigningKeys.Purpose.allCases {
            if try await dependencies.keys.renew(purpose, traceID: trace) { dependencies.publish(.signingKeysChanged) }
        }
        try await dependencies.store.sweep(at: dependencies.now())
        while try await dependencies.store.purgeTenants() {}
        try await dependencies.store.linkAudit()
        return try await dependencies.store.anchorAudit(at: dependencies.now()).map { link in
            let digits = Array("0123456789abcdef")
            return Anchor(
                number: link.number, hash: String(link.chain.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }))
        }
    }

    /// Tells the audit log that a rotation of the master key has ended.
    package func masterKeyRotated(in transaction: borrowing SQLTransaction) throws {
        try transaction.append(
            AuditEntry(
                at: dependencies.now(), realm: Realm(project: ProjectID("")), action: .masterKeyRotated, actor: .system,
                traceID: TraceContext.random().traceID))
    }
}

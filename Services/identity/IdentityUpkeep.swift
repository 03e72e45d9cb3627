import Bus
package import Contracts
package import ServiceRuntime

/// What identity does of itself: once a minute it renews signing keys on their schedule and sweeps out what is past its
/// time, and in between it listens to the events of the other processes.
package struct IdentityUpkeep: RunningPart {
    private static let interval = Duration.seconds(60)
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
            group.addTask { await keepUp() }
            for await _ in running.stream {}
            group.cancelAll()
        }
    }

    package func beginShutdown() async {
        running.continuation.finish()
    }

    private func keepUp() async {
        var pause = Self.firstPause
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await Task.sleep(for: pause)) != nil {
            pause = Self.interval
            do {
                try await service.keepUp()
            } catch {
                // Told and tried again: the mesh lives long without a round.
                log.error("identity.upkeep-failed", ["error": .kind(of: error)])
            }
        }
    }
}

extension IdentityService {
    /// Makes keys that are due, removes what has expired and what deleted tenants left behind.
    package func keepUp() async throws {
        let trace = TraceContext.random().traceID
        for purpose in Identity.ReadSigningKeys.Purpose.allCases {
            if try await dependencies.keys.renew(purpose, traceID: trace) { dependencies.publish(.signingKeysChanged) }
        }
        while try await dependencies.store.sweep(at: dependencies.now()) {}
        while try await dependencies.store.purgeTenants() {}
    }
}

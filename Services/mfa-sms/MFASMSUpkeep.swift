package import ServiceRuntime
package import Vocabulary

/// What mfa-sms does of itself: it sweeps out what is past its time.
package struct MFASMSUpkeep: RunningPart {
    private static let interval = Duration.seconds(60)

    private let store: MFASMSStore
    private let now: @Sendable () -> Moment
    private let log: Log
    /// Ends when the process stops.
    private let running: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    package init(_ store: MFASMSStore, now: @escaping @Sendable () -> Moment, log: Log) {
        self.store = store
        self.now = now
        self.log = log
        running = AsyncStream.makeStream(of: Never.self)
    }

    package func run() async throws {
        await withTaskGroup { group in
            group.addTask { await keepUp() }
            for await _ in running.stream {}
            group.cancelAll()
        }
    }

    package func beginShutdown() async {
        running.continuation.finish()
    }

    private func keepUp() async {
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await Task.sleep(for: Self.interval)) != nil {
            do {
                try await store.sweep(at: now())
            } catch {
                // Told and tried again: what is past its time is not looked at, only kept.
                log.error("mfa-sms.upkeep-failed", ["error": .kind(of: error)])
            }
        }
    }
}

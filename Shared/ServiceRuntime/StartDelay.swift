import Synchronization

/// Says in the log what a start waits for that takes long: once after five seconds, and again when the start ends. Until
/// then a process has no other way to say that it is there.
package final class StartDelay: Sendable {
    /// A start takes a fraction of it.
    private static let limit = Duration.seconds(5)

    private struct State {
        var awaited: StaticString = "its first step"
        var isReported = false
        var hasEnded = false
    }

    private let log: Log
    private let state = Mutex(State())

    private init(_ log: Log) {
        self.log = log
    }

    /// Runs a start.
    /// - Parameters:
    ///   - untilLate: returns when the start takes long. The default uses the steady clock.
    ///   - body: names each of its steps with `awaits`.
    package static func watch<Made: Sendable>(
        log: Log, untilLate: (@Sendable () async throws -> Void)? = nil,
        _ body: @Sendable (StartDelay) async throws -> Made
    ) async throws -> Made {
        let delay = StartDelay(log)
        let began = ContinuousClock.now
        let alarm = Task {
            if let untilLate { try await untilLate() } else { try await Task.sleep(for: limit, clock: .continuous) }
            delay.report()
        }
        defer {
            alarm.cancel()
            delay.end(after: began.duration(to: .now))
        }
        return try await body(delay)
    }

    /// Names what the start waits for from now on, as the rest of a sentence.
    package func awaits(_ step: StaticString) {
        state.withLock { $0.awaited = step }
    }

    private func report() {
        let awaited: StaticString? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.isReported = true
            return state.awaited
        }
        guard let awaited else { return }
        log.warn(
            .processStartDelayed,
            ["awaits": .public(awaited.description), "note": "it goes on by itself; a line follows at its end"])
    }

    private func end(after time: Duration) {
        let isReported = state.withLock { state in
            state.hasEnded = true
            return state.isReported
        }
        if isReported { log.warn(.processStartEnded, ["seconds": .public(time.components.seconds)]) }
    }
}

import Synchronization
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite struct MaintenanceTests {
    private struct Failure: Error {}

    /// Time advances only while everything sleeps.
    private final class Stage: Sendable {
        let clock = ManualClock()
        let runs = Mutex<[String]>([])
        let lines = Mutex<[String]>([])

        func task(
            _ name: String, every seconds: Int, after initialDelay: Duration? = nil,
            _ body: @escaping @Sendable (_ run: Int) throws -> Void = { _ in }
        ) -> MaintenanceTask {
            MaintenanceTask(name, every: .seconds(seconds), after: initialDelay) { [self] in
                let run = runs.withLock { runs in
                    runs.append(name)
                    return runs.count { $0 == name }
                }
                try body(run)
            }
        }

        /// Runs one list until it has slept so often.
        func run(_ tasks: [MaintenanceTask], sleeps: Int) async throws {
            let log = Log(instance: "test.1", write: { [self] line in lines.withLock { $0.append(line) } })
            let slept = Atomic(0)
            let (ends, end) = AsyncStream<Never>.makeStream()
            let maintenance = Maintenance(
                [tasks], log: log, now: { [clock] in clock.instant },
                sleep: { [clock] duration in
                    guard slept.add(1, ordering: .relaxed).newValue <= sleeps else {
                        end.finish()
                        try await Task.sleep(for: .seconds(3600))  // Canceled by the shutdown.
                        return
                    }
                    clock.advance(by: duration)
                })
            async let running: Void = maintenance.run()
            for await _ in ends {}
            await maintenance.beginShutdown()
            try await running
        }
    }

    @Test func tasksRunInOrderEachAtItsInterval() async throws {
        let stage = Stage()
        try await stage.run(
            [stage.task("a", every: 2), stage.task("b", every: 1), stage.task("c", every: 9, after: .zero)], sleeps: 5)
        // At 0, 1, 2, 3 and 4 seconds.
        #expect(stage.runs.withLock { $0 } == ["c", "b", "a", "b", "b", "a", "b"])
    }

    @Test func failedTaskIsLoggedOnceAndDoesNotStopOthers() async throws {
        let stage = Stage()
        // Fails twice, succeeds once, fails again.
        let failing = stage.task("failing", every: 1) { run in if run != 3 { throw Failure() } }
        try await stage.run([failing, stage.task("other", every: 1)], sleeps: 4)
        #expect(stage.runs.withLock { $0.count { $0 == "other" } } == 4)
        let lines = stage.lines.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(" maintenance.failed task=failing ") })
    }

    @Test func shutdownCancelsRunningTask() async throws {
        let (starts, start) = AsyncStream<Never>.makeStream()
        let endless = MaintenanceTask("endless", every: .seconds(1), after: .zero) {
            start.finish()
            try await Task.sleep(for: .seconds(3600))
        }
        let other = MaintenanceTask("other", every: .seconds(3600)) {}
        let maintenance = Maintenance([[endless], [other]], log: Log(instance: "test.1", write: { _ in }))
        async let running: Void = maintenance.run()
        for await _ in starts {}
        await maintenance.beginShutdown()
        try await running
    }
}

import Synchronization
import Testing

@testable import ServiceRuntime

@Suite struct PeriodicTaskTests {
    private struct TestError: Error {}

    private final class Tally: Sendable {
        private let number = Atomic(0)
        var count: Int { number.load(ordering: .relaxed) }

        @discardableResult
        func add() -> Int { number.add(1, ordering: .relaxed).newValue }
    }

    @Test func signalEndsRunningTasks() async {
        let stop = StopSignal()
        let ended = Tally()
        await withTaskGroup { group in
            group.addTask {
                await stop.run(
                    {
                        // Cancellation during the sleep ends it.
                        try? await Task.sleep(for: .seconds(3600))
                        ended.add()
                    }, { ended.add() })
            }
            stop.raise()
        }
        #expect(ended.count == 2)
    }

    @Test func earlierSignalEndsTasksAtOnce() async {
        let stop = StopSignal()
        stop.raise()
        await stop.wait()
        await stop.run { try? await Task.sleep(for: .seconds(3600)) }
    }

    @Test func failingTaskIsReportedOnceAndRetried() async {
        let reports = Tally()
        let turns = Tally()
        let stop = StopSignal()
        let round = PeriodicTask(every: .milliseconds(1), failed: { _ in reports.add() }) {
            // Fails twice, works once, fails again; all later runs work.
            switch turns.add() {
            case 1, 2, 4: throw TestError()
            case 5: stop.raise()
            default: return
            }
        }
        await stop.run(round.run)
        #expect(reports.count == 2)
        #expect(turns.count >= 5)
    }
}

import Synchronization
import Testing

@testable import ServiceRuntime

@Suite struct StopSignalTests {
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
}

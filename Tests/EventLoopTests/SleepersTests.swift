import Blocking
import EventLoop
import Testing

struct SleepersTests {
    let start = ContinuousClock.now

    @Test func sleepEndsWithWakeUpInItsWindow() {
        var sleepers = Sleepers<String>()
        sleepers.insert(1, "short", forAbout: .seconds(1), at: start)
        sleepers.insert(2, "long", forAbout: .seconds(2), at: start)
        #expect(sleepers.dueAt == start + .milliseconds(1100))
        #expect(sleepers.removeDue(at: start + .milliseconds(849)) == [])
        #expect(sleepers.removeDue(at: start + .milliseconds(850)) == ["short"])
        #expect(sleepers.dueAt == start + .milliseconds(2200))
        #expect(sleepers.removeDue(at: start + .milliseconds(2200)) == ["long"])
        #expect(sleepers.dueAt == nil)
    }

    /// The wake-up for one of them is that of the others too.
    @Test func sleepsOfDifferentStartsEndTogether() {
        var sleepers = Sleepers<Int>()
        for number in 0..<10 {
            sleepers.insert(UInt64(number), number, forAbout: .seconds(1), at: start + .milliseconds(25 * number))
        }
        #expect(sleepers.removeDue(at: start + .milliseconds(1100)).sorted() == Array(0..<10))
    }

    @Test func removedSleepDoesNotEnd() {
        var sleepers = Sleepers<String>()
        sleepers.insert(1, "removed", forAbout: .seconds(1), at: start)
        #expect(sleepers.remove(1) == "removed")
        #expect(sleepers.remove(1) == nil)
        #expect(sleepers.removeDue(at: start + .seconds(2)) == [])
    }

    @Test func removalOfFirstSleepMovesEnd() {
        var sleepers = Sleepers<String>()
        sleepers.insert(1, "late", forAbout: .seconds(2), at: start)
        sleepers.insert(2, "early", forAbout: .seconds(1), at: start)
        #expect(sleepers.dueAt == start + .milliseconds(1100))
        #expect(sleepers.remove(2) == "early")
        #expect(sleepers.dueAt == start + .milliseconds(2200))
        #expect(sleepers.removeDue(at: start + .milliseconds(1699)) == [])
        #expect(sleepers.removeDue(at: start + .milliseconds(1700)) == ["late"])
    }

    @Test(arguments: [false, true]) func taskSleepsOnLoopAndElsewhere(isOnLoop: Bool) async throws {
        let loop = try EventLoop(label: "test")
        let start = ContinuousClock.now
        let isOnLoopAfterwards = try await Task(executorPreference: isOnLoop ? loop : nil) {
            try await EventLoop.sleep(forAbout: .milliseconds(20))
            return EventLoop.isCurrentThread
        }.value
        #expect(isOnLoopAfterwards == isOnLoop)
        #expect(ContinuousClock.now - start >= .milliseconds(15))
    }

    @Test(arguments: [false, true]) func cancellationEndsSleep(isOnLoop: Bool) async throws {
        let loop = try EventLoop(label: "test")
        let (started, start) = AsyncStream<Never>.makeStream()
        let task = Task(executorPreference: isOnLoop ? loop : nil) {
            start.finish()
            try await EventLoop.sleep(forAbout: .seconds(3600))
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancelledTaskDoesNotSleep() async throws {
        let loop = try EventLoop(label: "test")
        let task = Task(executorPreference: loop) {
            withUnsafeCurrentTask { $0?.cancel() }
            try await EventLoop.sleep(forAbout: .seconds(3600))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

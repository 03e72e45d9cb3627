import Blocking
import EventLoop
import Glibc
import Synchronization
import Testing

struct EventLoopTests {
    @Test func tasksStayOnThreadOfLoop() async throws {
        let loop = try EventLoop(label: "test")
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 0)
        #expect(!EventLoop.isCurrentThread)
        let places = try await Task(executorPreference: loop) {
            let before = EventLoop.isCurrentThread
            let during = try await pool.run { EventLoop.isCurrentThread }
            async let child = EventLoop.isCurrentThread
            return [before, during, await child, EventLoop.isCurrentThread]
        }.value
        #expect(places == [true, false, true, true])
        pool.shutDown()
    }

    /// A task keeps the loop alive that it prefers.
    @Test func taskOutlivesReferenceToLoop() async throws {
        let (stream, end) = AsyncStream<Never>.makeStream()
        var loop: EventLoop? = try EventLoop(label: "test")
        let task = Task(executorPreference: loop) {
            for await _ in stream {}
            return EventLoop.isCurrentThread
        }
        loop = nil
        end.finish()
        #expect(await task.value)
    }

    @Test func inputGivesSourceTurn() async throws {
        let loop = try EventLoop(label: "test")
        let signal = loop.makeSignal()
        var pipe: [Int32] = [0, 0]
        try #require(Glibc.pipe(&pipe) == 0)
        let (input, output) = (pipe[0], pipe[1])
        async let served: Void = loop.serve(signal) {
            TestSource(descriptors: [input]) { hasInput in hasInput ? .finished : .waiting(until: nil) }
        }
        #expect(write(output, "x", 1) == 1)
        try await served
        close(input)
        close(output)
    }

    @Test func sourceGetsTurnWhenTimeHasCome() async throws {
        let loop = try EventLoop(label: "test")
        let signal = loop.makeSignal()
        let end = ContinuousClock.now + .milliseconds(20)
        try await loop.serve(signal) {
            TestSource { _ in ContinuousClock.now >= end ? .finished : .waiting(until: end) }
        }
        #expect(ContinuousClock.now >= end)
    }

    @Test func errorOfSourceEndsItAlone() async throws {
        let loop = try EventLoop(label: "test")
        let signal = loop.makeSignal()
        let state = State()
        async let other: Void = loop.serve(signal) {
            TestSource { _ in state.flag.load(ordering: .relaxed) ? .finished : .waiting(until: nil) }
        }
        await #expect(throws: Failure.self) {
            try await loop.serve(loop.makeSignal()) { TestSource { _ in throw Failure() } }
        }
        await #expect(throws: Failure.self) { try await loop.serve(loop.makeSignal()) { throw Failure() } }
        state.flag.store(true, ordering: .relaxed)
        signal.raise()
        try await other
    }

    /// A turn of one source is no reason for a turn of another.
    @Test(arguments: TurnReason.allCases) func sourceGetsTurnForItsOwnReasonsOnly(_ reason: TurnReason) throws {
        let loop = try EventLoop(label: "test")
        let (own, other) = (loop.makeSignal(), loop.makeSignal())
        var (schedule, rest) = (TurnSchedule(own), TurnSchedule(other))
        let now = ContinuousClock.now
        #expect(schedule.takesTurn(hasInput: false, at: now), "a new source needs a turn")
        #expect(rest.takesTurn(hasInput: false, at: now))
        schedule.hadTurn(reason == .busy ? .busy : .waiting(until: now + .seconds(1)))
        rest.hadTurn(.waiting(until: nil))
        if reason == .signal { own.raise() }
        let time = now + .seconds(reason == .time ? 1 : 0)
        #expect(schedule.takesTurn(hasInput: reason == .input, at: time) == (reason != .none))
        #expect(!rest.takesTurn(hasInput: false, at: time))
        // One turn is enough.
        schedule.hadTurn(.waiting(until: nil))
        #expect(!schedule.takesTurn(hasInput: false, at: time))
    }

    /// A finished source is released before its server continues: its sockets are closed.
    @Test func finishedSourceIsReleased() async throws {
        let loop = try EventLoop(label: "test")
        let signal = loop.makeSignal()
        let state = State()
        try await loop.serve(signal) {
            TestSource(released: { state.flag.store(true, ordering: .relaxed) }) { _ in .finished }
        }
        let result = state.flag.load(ordering: .relaxed)
        #expect(result)
    }

    /// Wake-ups from other threads are never lost, whether the loop waits or not.
    @Test func everyWakeUpIsSeen() async throws {
        let loop = try EventLoop(label: "test")
        let signal = loop.makeSignal()
        let state = State()
        let (tasks, numbers) = (4, 5000)
        async let served: Void = loop.serve(signal) {
            var received = 0
            return TestSource { _ in
                received += state.queue.withLock { queue in
                    defer { queue = [] }
                    return queue.count
                }
                return received == tasks * numbers ? .finished : .waiting(until: nil)
            }
        }
        await withTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask {
                    for number in 0..<numbers {
                        state.queue.withLock { $0.append(number) }
                        signal.raise()
                        if number % 100 == 0 { await Task.yield() }
                    }
                }
            }
        }
        try await served
    }

    /// However many tasks wait to run, the sources get turns between them.
    @Test func jobsBetweenTurnsAreBounded() async throws {
        let loop = try EventLoop(label: "test")
        let signal = loop.makeSignal()
        let state = State()
        let jobs = 2000
        let (started, start) = AsyncStream<Never>.makeStream()
        async let served: Void = loop.serve(signal) {
            start.finish()
            var last = 0
            return TestSource { _ in
                let now = state.ran.load(ordering: .relaxed)
                state.most.max(now - last, ordering: .relaxed)
                last = now
                return now >= jobs ? .finished : .waiting(until: nil)
            }
        }
        for await _ in started {}
        await Task(executorPreference: loop) {
            // They wait until this job has ended.
            for _ in 0..<jobs {
                Task(executorPreference: loop) {
                    state.ran.add(1, ordering: .relaxed)
                    signal.raise()
                }
            }
        }.value
        try await served
        let result = state.most.load(ordering: .relaxed)
        #expect(result <= 128)
    }
}

enum TurnReason: CaseIterable {
    case none, input, signal, time, busy
}

private struct Failure: Error {}

/// What a test shares with the thread of a loop.
private final class State: Sendable {
    let flag = Atomic(false)
    let queue = Mutex([Int]())
    let ran = Atomic(0)
    let most = Atomic(0)
}

/// A source whose turns are a closure.
private final class TestSource: EventSource {
    let descriptors: [Int32]
    private let released: () -> Void
    private let body: (Bool) throws -> EventSourceState

    init(
        descriptors: [Int32] = [], released: @escaping () -> Void = {},
        _ body: @escaping (Bool) throws -> EventSourceState
    ) {
        self.descriptors = descriptors
        self.released = released
        self.body = body
    }

    deinit {
        released()
    }

    func turn(hasInput: Bool) throws -> EventSourceState {
        try body(hasInput)
    }
}

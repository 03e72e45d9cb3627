import Blocking
import Dispatch
import Foundation
import Glibc
import TestSupport
import Testing

/// A gate that holds a pool thread until the test opens it, and signals when the thread waits at it.
private final class Gate: Sendable {
    private let reached: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let opened = DispatchSemaphore(value: 0)

    init() { (reached, signal) = AsyncStream.makeStream() }

    /// Called on the pool's thread.
    func pass() {
        signal.yield()
        opened.wait()
    }

    func waitUntilReached(by count: Int = 1) async {
        var iterator = reached.makeAsyncIterator()
        for _ in 0..<count { await iterator.next() }
    }

    func open(for count: Int = 1) { for _ in 0..<count { opened.signal() } }
}

struct BlockingPoolTests {
    @Test func bodyRunsOnPoolThreadAndReturnsResult() async throws {
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 0)
        #expect(try await pool.run { 6 * 7 } == 42)
    }

    @Test func errorOfBodyIsRethrown() async {
        struct Broken: Error {}
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 0)
        await #expect(throws: Broken.self) { try await pool.run { throw Broken() } }
    }

    @Test func callAboveQueueLimitIsRefusedAtOnce() async throws {
        let pool = BlockingPool(label: "test", threads: 2, maximumWaiting: 3)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await pool.run { gate.pass() } } }
            await gate.waitUntilReached(by: 2)
            for _ in 0..<3 { group.addTask { try await pool.run {} } }
            try await eventually { pool.load.waiting == 3 }
            #expect(pool.load == (running: 2, waiting: 3))
            await #expect(throws: BlockingPool.OverloadedError()) { try await pool.run {} }
            gate.open(for: 2)
            try await group.waitForAll()
        }
        #expect(pool.load == (running: 0, waiting: 0))
        try await pool.run {}
    }

    /// A caller that has its result finds the place that it took.
    @Test func callAfterAnotherIsNeverRefused() async throws {
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 0)
        for _ in 0..<10_000 { try await pool.run {} }
    }

    /// Calls one after the other need one thread, and calls at the same time need one each, up to the limit.
    @Test func threadsStartWhenAllOthersAreBusy() async throws {
        let label = "pool-\(UInt16.random(in: .min ... .max))"
        let threads = { () throws -> Int in
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter { thread in
                let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                return name == label + "\n"
            }.count
        }
        let pool = BlockingPool(label: label, threads: 3, maximumWaiting: 5)
        #expect(try threads() == 0)
        for _ in 0..<10 {
            try await pool.run {}
        }
        #expect(try threads() == 1)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await pool.run { gate.pass() } } }
            await gate.waitUntilReached(by: 3)
            try await eventually { pool.load == (running: 3, waiting: 5) }
            #expect(try threads() == 3)
            gate.open(for: 8)
            try await group.waitForAll()
        }
        #expect(try threads() == 3)
    }

    @Test func poolWithoutQueueAcceptsOneCallPerThread() async throws {
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 0)
        let gate = Gate()
        async let held: Void = pool.run { gate.pass() }
        await gate.waitUntilReached()
        await #expect(throws: BlockingPool.OverloadedError()) { try await pool.run {} }
        gate.open()
        try await held
    }

    @Test func queuedCallsRunInOrder() async throws {
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 8)
        let gate = Gate()
        let (order, signal) = AsyncStream<Int>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run { gate.pass() } }
            await gate.waitUntilReached()
            for number in 0..<8 {
                group.addTask { try await pool.run { _ = signal.yield(number) } }
                try await eventually { pool.load.waiting == number + 1 }
            }
            gate.open()
            try await group.waitForAll()
        }
        signal.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == Array(0..<8))
    }

    @Test func cancelledCallLeavesQueue() async throws {
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 1)
        let gate = Gate()
        async let held: Void = pool.run { gate.pass() }
        await gate.waitUntilReached()
        let waiting = Task { try await pool.run { Issue.record("a cancelled call must not run") } }
        try await eventually { pool.load.waiting == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(pool.load == (running: 1, waiting: 0))
        gate.open()
        try await held
    }

    @Test func callOfCancelledTaskIsNotQueued() async throws {
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 1)
        let gate = Gate()
        async let held: Void = pool.run { gate.pass() }
        await gate.waitUntilReached()
        let cancelled = Task {
            try await eventually { Task.isCancelled }
            _ = try await pool.run { Issue.record("a cancelled call must not run") }
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(pool.load.waiting == 0)
        gate.open()
        try await held
    }

    @Test func shutdownFinishesRunningCallsAndRefusesQueuedOnes() async throws {
        let pool = BlockingPool(label: "test", threads: 1, maximumWaiting: 4)
        let gate = Gate()
        let running = Task {
            try await pool.run {
                gate.pass()
                return "finished"
            }
        }
        await gate.waitUntilReached()
        let waiting = Task { try await pool.run {} }
        try await eventually { pool.load.waiting == 1 }
        pool.shutDown()
        await #expect(throws: BlockingPool.ShutDownError()) { try await waiting.value }
        await #expect(throws: BlockingPool.ShutDownError()) { try await pool.run {} }
        gate.open()
        #expect(try await running.value == "finished")
        pool.shutDown()
    }

    @Test func threadsRunWithGivenNiceness() async throws {
        let polite = BlockingPool(label: "polite", threads: 1, maximumWaiting: 0, niceness: 7)
        let plain = BlockingPool(label: "plain", threads: 1, maximumWaiting: 0)
        let own = try await plain.run { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
        #expect(try await polite.run { getpriority(Int32(PRIO_PROCESS.rawValue), 0) } == 7)
        #expect(own == getpriority(Int32(PRIO_PROCESS.rawValue), 0), "the process keeps its niceness")
    }

    @Test func manyCallsShareFewThreads() async throws {
        let pool = BlockingPool(label: "test", threads: 3, maximumWaiting: 2000)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<2000 { group.addTask { try await pool.run { number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 2000 * 1999 / 2)
    }
}

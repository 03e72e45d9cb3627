import DatabaseService
import Synchronization
import TestSupport
import Testing

@Suite struct BatchedCallsTests {
    struct Failure: Error {}

    /// A batch waits until it is let through; the batches are recorded.
    private final class Batches: Sendable {
        let begun = Mutex<[[Int]]>([])
        let gate = AsyncStream<Bool>.makeStream()

        func makeCalls() -> BatchedCalls<Int, Int> {
            BatchedCalls { requests in
                self.begun.withLock { $0.append(requests) }
                for await succeeds in self.gate.stream {
                    guard succeeds else { throw Failure() }
                    break
                }
                return requests.map { $0 * 10 }
            }
        }

        func release(succeeding: Bool = true) { gate.continuation.yield(succeeding) }
    }

    @Test func callsWaitForNextBatch() async throws {
        let batches = Batches()
        let calls = batches.makeCalls()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { try await calls.reply(to: 1) == 10 }
            try await eventually("the first batch has begun") { batches.begun.withLock { $0.count } == 1 }
            for number in 2...50 { group.addTask { try await calls.reply(to: number) == number * 10 } }
            for _ in 1...50 { batches.release() }
            for try await isRight in group { #expect(isRight) }
        }
        let begun = batches.begun.withLock { $0 }
        #expect(begun[0] == [1])
        #expect(begun.dropFirst().flatMap { $0 }.sorted() == Array(2...50))
    }

    /// The failure of a batch is that of its calls, and of no later one.
    @Test func failureConcernsItsBatch() async throws {
        let batches = Batches()
        let calls = batches.makeCalls()
        batches.release(succeeding: false)
        await #expect(throws: Failure.self) { try await calls.reply(to: 1) }
        batches.release()
        #expect(try await calls.reply(to: 2) == 20)
    }
}

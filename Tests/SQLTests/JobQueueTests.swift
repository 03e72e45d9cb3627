import Foundation
import SQL
import Testing

@Suite struct JobQueueTests {
    @Test(arguments: Engine.allCases)
    func writeAboveQueueLimitIsRefusedAtOnce(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open(connections: 1, queued: 2)
        let gate = DispatchSemaphore(value: 0)
        let (running, runs) = AsyncStream<Void>.makeStream()
        let blocker = Task {
            try await database.write { _ in
                runs.yield()
                gate.wait()
            }
        }
        for await _ in running { break }
        // The thread is busy, so two of these fill the queue.
        let (resumed, results) = AsyncStream<Bool>.makeStream()
        for _ in 0..<3 {
            Task {
                do {
                    try await database.write { _ in }
                    results.yield(true)
                } catch SQLError.overloaded {
                    results.yield(false)
                }
            }
        }
        var result = resumed.makeAsyncIterator()
        #expect(await result.next() == false)
        gate.signal()
        try await blocker.value
        #expect(await result.next() == true)
        #expect(await result.next() == true)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func closeRunsQueuedJobsAndRefusesLaterOnes(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        async let write: Void = database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        try await write
        await database.close()
        await #expect(throws: SQLError.closed) { try await database.write { _ in } }
        await #expect(throws: SQLError.closed) { try await database.read { _ in } }
        await database.close()
    }
}

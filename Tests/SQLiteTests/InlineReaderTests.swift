import EventLoop
import SQL
import TestSupport
import Testing

@testable import SQLite

struct InlineReaderTests {
    private let directory: TemporaryDirectory
    private let database: SQLiteDatabase
    private let loop: EventLoop

    init() throws {
        directory = try TemporaryDirectory()
        database = try SQLiteDatabase(.file(directory.appending("inline.sqlite")))
        loop = try EventLoop(label: "test")
    }

    private func onLoop<Result: Sendable>(_ body: @Sendable @escaping () async throws -> Result) async throws -> Result
    {
        try await Task(executorPreference: loop) { try await body() }.value
    }

    @Test func shortReadRunsOnThreadOfLoop() async throws {
        let places = try await onLoop { [database] in
            try await database.write { try $0.execute("CREATE TABLE numbers (number INTEGER NOT NULL)") }
            try await database.write { try $0.execute("INSERT INTO numbers (number) VALUES (7)") }
            return try await database.read { transaction in
                EventLoop.isCurrentThread ? try transaction.rows("SELECT number FROM numbers").count : nil
            }
        }
        #expect(places == 1)
        let elsewhere = try await database.read { _ in EventLoop.isCurrentThread }
        #expect(!elsewhere)
        await database.close()
    }

    @Test func longReadRunsOnAnotherThread() async throws {
        // Some tenths of a second.
        let slow = """
            WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 300000)
            SELECT count(*) FROM numbers
            """
        let isInline = try await onLoop { [database] in
            try await database.read { transaction in
                _ = try transaction.rows(slow)
                return EventLoop.isCurrentThread
            }
        }
        #expect(!isInline)
        await database.close()
    }

    /// Two components can close the same database. The second call returns, too.
    @Test func databaseIsClosedTwice() async {
        await database.close()
        await database.close()
    }

    private struct Failure: Error {}

    @Test func errorOfBodyEndsReadAlone() async throws {
        await #expect(throws: Failure.self) {
            try await onLoop { [database] in try await database.read { _ -> Int in throw Failure() } }
        }
        await #expect(throws: SQLError.writeInReadOnlyTransaction) {
            try await onLoop { [database] in
                try await database.read { try $0.execute("CREATE TABLE numbers (number INTEGER)") }
            }
        }
        let isInline = try await onLoop { [database] in try await database.read { _ in EventLoop.isCurrentThread } }
        #expect(isInline)
        await database.close()
    }

    @Test func readAfterCloseIsRefused() async throws {
        await database.close()
        await #expect(throws: SQLError.closed) {
            try await onLoop { [database] in try await database.read { _ in 1 } }
        }
    }

    @Test func slowOrIncompleteReadStartsPause() {
        let start = ContinuousClock.now
        for (duration, isComplete, isPaused) in [
            (Duration.milliseconds(4), true, false), (.milliseconds(5), true, true), (.zero, false, true),
        ] {
            var pauses = InlineReadPauses()
            #expect(pauses.allowsRead(at: start))
            pauses.readEnded(at: start + duration, startedAt: start, isComplete: isComplete)
            #expect(pauses.allowsRead(at: start + duration) == !isPaused)
            #expect(pauses.allowsRead(at: start + duration + InlineReadPauses.pause))
        }
    }
}

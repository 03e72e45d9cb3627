import SQL
import Synchronization
import Testing

@testable import SQLite

/// Savepoints cost something, so a group has them only after a body has thrown behind a change.
struct SavepointTests {
    private let connection: SQLiteConnection

    init() throws {
        connection = try SQLiteConnection(.memory)
        try connection.run(script: "CREATE TABLE notes (id INTEGER PRIMARY KEY)")
    }

    enum Behavior: Sendable {
        case succeeds, throwsAtOnce, throwsAfterChange
    }

    /// How often each body ran.
    private final class Runs: Sendable {
        private let counts: Mutex<[Int]>

        init(bodies: Int) { counts = Mutex(Array(repeating: 0, count: bodies)) }

        func count(_ body: Int) { counts.withLock { $0[body] += 1 } }
        var all: [Int] { counts.withLock(\.self) }
    }

    /// Runs one body for each behavior as one group.
    /// - Returns: how often each body ran.
    private func runs(of behaviors: [Behavior], in group: inout GroupCommit) async throws -> [Int] {
        let queue = JobQueue<SQLJob>(bound: 100)
        let runs = Runs(bodies: behaviors.count)
        var callers: [Task<Void, any Error>] = []
        for (index, behavior) in behaviors.enumerated() {
            let caller = Task {
                try await queue.run(isReadOnly: false) { transaction in
                    runs.count(index)
                    if behavior == .throwsAtOnce { throw SQLError.foreignKeyViolation }
                    try transaction.execute("INSERT INTO notes DEFAULT VALUES")
                    if behavior == .throwsAfterChange { throw SQLError.foreignKeyViolation }
                }
            }
            callers.append(caller)
        }
        var jobs: [SQLJob] = []
        while jobs.count < behaviors.count {
            jobs += queue.dequeueWaiting(atMost: behaviors.count)
            await Task.yield()
        }
        group.run(jobs)
        for (caller, behavior) in zip(callers, behaviors) {
            switch (await caller.result, behavior) {
            case (.success, .succeeds), (.failure(SQLError.foreignKeyViolation), .throwsAtOnce),
                (.failure(SQLError.foreignKeyViolation), .throwsAfterChange):
                break
            case (let result, _): Issue.record("\(behavior): \(result)")
            }
        }
        return runs.all
    }

    private func count() throws -> Int {
        try connection.run("SELECT COUNT(*) AS count FROM notes").first?.get("count") ?? -1
    }

    @Test func groupRunsAgainAfterFailureBehindChange() async throws {
        var group = GroupCommit(connection: connection)
        #expect(try await runs(of: [.succeeds, .throwsAtOnce, .succeeds], in: &group) == [1, 1, 1])
        #expect(try count() == 2)
        #expect(try await runs(of: [.throwsAfterChange], in: &group) == [1])
        #expect(try count() == 2)
        let first = try await runs(of: [.succeeds, .throwsAfterChange, .succeeds], in: &group)
        // In the order of the queue, those before the failure have run twice.
        #expect(first.allSatisfy { (1...2).contains($0) } && first.contains(2))
        #expect(try count() == 4)
        for _ in 0..<GroupCommit.groupsAfterFailure {
            #expect(try await runs(of: [.throwsAfterChange, .succeeds], in: &group) == [1, 1])
        }
        #expect(try count() == 4 + GroupCommit.groupsAfterFailure)
        #expect(try await runs(of: [.throwsAfterChange, .succeeds], in: &group).contains(2))
    }
}

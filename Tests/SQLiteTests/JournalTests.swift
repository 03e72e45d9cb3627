import Foundation
import SQL
import TestSupport
import Testing

@testable import SQLite

struct JournalTests {
    /// One writing thread: the lengths of the journal that it sees, whether no write waits, and whether it copies the journal.
    @Test func journalIsCopiedWhenIdleOrTooLong() {
        var schedule = CheckpointSchedule()
        let (idle, full) = (CheckpointSchedule.pagesWhenIdle, CheckpointSchedule.pages)
        let steps: [(pages: Int, isIdle: Bool, isDue: Bool)] = [
            (0, true, false), (idle - 1, true, false), (idle, false, false), (idle, true, true),
            // A reader keeps the journal: not again for the same pages.
            (idle + 1, true, false), (2 * idle, true, true), (2 * idle + full - 1, false, false),
            (2 * idle + full, false, true),
            // It begins again.
            (5, true, false), (idle, true, true), (1, false, false), (full, false, true),
        ]
        for (number, step) in steps.enumerated() {
            #expect(schedule.isDue(step.pages, isIdle: step.isIdle) == step.isDue, "step \(number)")
        }
    }

    @Test func pagesAreGivenBackBehindAPause() {
        var cache = CacheSchedule()
        let clock = ManualClock()
        let early = cache.endPause(at: clock.instant)
        #expect(!early, "no pause has begun")
        for (milliseconds, isDue) in [(0, false), (3000, false), (3001, true), (4000, true)] {
            cache.beginPause(at: clock.instant)
            clock.advance(by: .milliseconds(milliseconds))
            // A pause ends once.
            let ends = [cache.endPause(at: clock.instant), cache.endPause(at: clock.instant)]
            #expect(ends == [isDue, false], "\(milliseconds) ms")
        }
    }

    /// While writes wait all the time, the journal grows to its bound and the pages of one commit.
    @Test func journalIsBoundedWhileWritesWait() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("test.db")
        let database = try SQLiteDatabase(.file(path))
        try await database.migrate([
            SQLMigration(1, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        ])
        // Four pages for each.
        let (writes, pagesOfOne) = (1500, 6)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...writes {
                group.addTask {
                    try await database.write { transaction in
                        try transaction.execute(
                            "INSERT INTO notes (id, text) VALUES ($1, $2)", .integer(Int64(id)),
                            .text(String(repeating: "n", count: 12_000)))
                    }
                }
            }
            try await group.waitForAll()
        }
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
        let bound = CheckpointSchedule.pages + GroupCommit.jobsPerCommit * pagesOfOne
        #expect(size <= bound * 4120)
        let count: Int? = try await database.read {
            try $0.firstRow("SELECT COUNT(*) AS count FROM notes")?.get("count")
        }
        #expect(count == writes)
        await database.close()
    }
}

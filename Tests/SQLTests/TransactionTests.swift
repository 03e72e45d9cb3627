import Foundation
import SQL
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite struct TransactionTests {
    private struct Refusal: Error {}

    @Test(arguments: Engine.allCases)
    func aWriteReadsWhatItWroteAndAReadSeesTheCommit(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables()
        try await database.write { transaction in
            try transaction.execute("INSERT INTO notes (id, text) VALUES ($1, $2), ($3, NULL)", 1, "a", 2)
            #expect(try transaction.rows("SELECT id FROM notes").count == 2)
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 2)
        await database.close()
    }

    @Test(arguments: Engine.shared)
    func anAnsweredWriteIsThereForAnotherConnection(engine: Engine) async throws {
        let place = try await Place(engine)
        let database = try await place.openWithTables()
        try await database.write { try $0.execute("INSERT INTO notes (id, text) VALUES ($1, $2)", 1, "kept") }
        // Opened while the first is still open, as after a crash: nothing was closed.
        let other = try await place.open()
        let text: String? = try await other.read { try $0.firstRow("SELECT text FROM notes")?.get("text") }
        #expect(text == "kept")
        await database.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func aBodyThatThrowsIsTakenBackAndItsErrorReachesItsCaller(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables()
        await #expect(throws: Refusal.self) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func aBodyWithoutAStatementIsAnswered(engine: Engine) async throws {
        let database = try await Place(engine).open()
        #expect(try await database.write { _ in 1 } == 1)
        #expect(try await database.read { _ in 2 } == 2)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func aFailedStatementSpoilsTheRestAndTheWhole(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables()
        await #expect(throws: SQLError.transactionLost) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                #expect(throws: SQLError.uniqueViolation("notes.id")) {
                    try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                }
                try transaction.execute("INSERT INTO notes (id) VALUES (2)")
            }
        }
        // A body that goes on as if nothing had happened does not get its first half stored.
        for sql in ["INSERT INTO notes (id) VALUES (1)", "SELECT id FROM notes WHERE id = $1"] {
            await #expect(throws: SQLError.transactionLost) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                    #expect(throws: SQLError.self) { try transaction.execute(sql) }
                }
            }
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func aBodyThatEndsItsTransactionFailsAndTheNextWorks(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables()
        await #expect(throws: SQLError.transactionLost) {
            try await database.write { transaction in
                try transaction.execute("ROLLBACK")
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
            }
        }
        await #expect(throws: SQLError.transactionLost) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                try transaction.execute("ROLLBACK")
            }
        }
        #expect(try await database.write { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func aReadCannotWrite(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables()
        await #expect(throws: SQLError.writeInRead) {
            try await database.read { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        }
        // Neither by another door, nor when it does not throw.
        await #expect(throws: SQLError.self) {
            try await database.read { transaction in
                #expect(throws: SQLError.writeInRead) { try transaction.execute("DELETE FROM notes") }
            }
        }
        #expect(try await database.write { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    @Test(arguments: Engine.shared)
    func aReadKeepsItsSnapshotWhileOthersWrite(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables()
        let counts = try await database.read { transaction in
            let before = try transaction.rows("SELECT id FROM notes").count
            // The thread waits for a commit on another: it must not be blocked by us.
            let written = DispatchSemaphore(value: 0)
            Task {
                try await database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
                written.signal()
            }
            written.wait()
            return [before, try transaction.rows("SELECT id FROM notes").count]
        }
        #expect(counts == [0, 0])
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 1)
        await database.close()
    }
}

// MARK: - Races

@Suite struct RaceTests {
    @Test(arguments: Engine.allCases)
    func ofManyConsumersOfOneCodeOneWins(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables(connections: 8)
        try await database.write { try $0.execute("INSERT INTO notes (id, text) VALUES (1, 'code')") }
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await database.write { try $0.firstRow("DELETE FROM notes WHERE id = 1 RETURNING text") != nil }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func ofManyWhoTakeOneNameOneGetsItAndTheOthersAreTold(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables(connections: 8)
        let answers = await withTaskGroup(of: String.self) { group in
            for id in 0..<50 {
                group.addTask {
                    do {
                        try await database.write {
                            try $0.execute("INSERT INTO notes (id, text) VALUES ($1, 'name')", SQLValue(id))
                        }
                        return "taken"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["taken": 1, "a row with the same notes.text exists": 49])
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func noIncrementIsLost(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables(connections: 8)
        try await database.write { try $0.execute("INSERT INTO kinds (id, i) VALUES (1, 0)") }
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await database.write { transaction in
                        // Read and written apart, so that only the isolation of the two can save it.
                        let row = try #require(try transaction.firstRow("SELECT i FROM kinds WHERE id = 1"))
                        let count: Int = try row.get("i")
                        try transaction.execute("UPDATE kinds SET i = $1 WHERE id = 1", SQLValue(count + 1))
                    }
                }
            }
            try await group.waitForAll()
        }
        let count: Int? = try await database.read { try $0.firstRow("SELECT i FROM kinds WHERE id = 1")?.get("i") }
        #expect(count == 50)
        await database.close()
    }

    /// Each of two may leave only if the other stays; each decides on what the other changes.
    @Test(arguments: Engine.allCases)
    func twoWritesNeverBothDecideOnWhatTheOtherChanges(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables(connections: 8)
        for round in 0..<20 {
            let ids = [round * 2 + 1, round * 2 + 2]
            try await database.write {
                for id in ids { try $0.execute("INSERT INTO kinds (id, small) VALUES ($1, 1)", SQLValue(id)) }
            }
            try await withThrowingTaskGroup { group in
                for id in ids {
                    group.addTask {
                        try await database.write { transaction in
                            let on = try transaction.rows(
                                "SELECT id FROM kinds WHERE small = 1 AND id BETWEEN $1 AND $2", SQLValue(ids[0]),
                                SQLValue(ids[1]))
                            guard on.count == 2 else { return }
                            try transaction.execute("UPDATE kinds SET small = 0 WHERE id = $1", SQLValue(id))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let left = try await database.read { try $0.rows("SELECT id FROM kinds WHERE small = 1").count }
        #expect(left == 20)
        await database.close()
    }

    @Test(arguments: Engine.shared)
    func twoProcessesShareADatabase(engine: Engine) async throws {
        let place = try await Place(engine)
        let (first, second) = (try await place.openWithTables(), try await place.open())
        try await withThrowingTaskGroup { group in
            for id in 0..<100 {
                let database = id.isMultiple(of: 2) ? first : second
                group.addTask {
                    try await database.write { try $0.execute("INSERT INTO notes (id) VALUES ($1)", SQLValue(id)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await first.read { try $0.rows("SELECT id FROM notes").count } == 100)
        await first.close()
        await second.close()
    }
}

// MARK: - The line

@Suite struct LineTests {
    @Test(arguments: Engine.allCases)
    func oneWriteMoreThanMayWaitIsRefusedAtOnce(engine: Engine) async throws {
        let database = try await Place(engine).open(connections: 1, queued: 2)
        let gate = DispatchSemaphore(value: 0)
        let (running, runs) = AsyncStream<Void>.makeStream()
        let blocker = Task {
            try await database.write { _ in
                runs.yield()
                gate.wait()
            }
        }
        for await _ in running { break }
        // The thread is busy, so two of these fill the line.
        let (answered, answers) = AsyncStream<Bool>.makeStream()
        for _ in 0..<3 {
            Task {
                do {
                    try await database.write { _ in }
                    answers.yield(true)
                } catch SQLError.overloaded {
                    answers.yield(false)
                }
            }
        }
        var answer = answered.makeAsyncIterator()
        #expect(await answer.next() == false)
        gate.signal()
        try await blocker.value
        #expect(await answer.next() == true)
        #expect(await answer.next() == true)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func closingDoesWhatWaitsAndRefusesWhatComesAfter(engine: Engine) async throws {
        let database = try await Place(engine).openWithTables()
        async let write: Void = database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        try await write
        await database.close()
        await #expect(throws: SQLError.closed) { try await database.write { _ in } }
        await #expect(throws: SQLError.closed) { try await database.read { _ in } }
        await database.close()
    }
}

import Foundation
import SQL
import Testing

@Suite struct TransactionTests {
    private struct Refusal: Error {}

    @Test(arguments: Engine.allCases)
    func writeReadsItsRowsAndReadSeesCommit(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        try await database.write { transaction in
            try transaction.execute("INSERT INTO notes (id, text) VALUES ($1, $2), ($3, NULL)", 1, "a", 2)
            #expect(try transaction.rows("SELECT id FROM notes").count == 2)
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 2)
        await database.close()
    }

    @Test(arguments: Engine.shared)
    func committedWriteIsVisibleToOtherConnections(engine: Engine) async throws {
        let place = try await EngineLocation(engine)
        let database = try await place.openWithTables()
        try await database.write { try $0.execute("INSERT INTO notes (id, text) VALUES ($1, $2)", 1, "kept") }
        // Opened while the first is still open, as after a crash.
        let other = try await place.open()
        let text: String? = try await other.read { try $0.firstRow("SELECT text FROM notes")?.get("text") }
        #expect(text == "kept")
        await database.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func throwingBodyIsRolledBackAndErrorRethrown(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        await #expect(throws: Refusal.self) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    /// A statement for later is seen by those behind it. Its error is that of the transaction, wherever it comes.
    @Test(arguments: Engine.allCases)
    func laterStatementRunsBeforeTheNextAndTheCommit(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let (later, now) = ("INSERT INTO notes (id) VALUES ($1)", "SELECT COUNT(*) AS count FROM notes")
        try await database.write { transaction in
            try transaction.executeLater(later, parameters: [1])
            // More than one batch.
            for id in 2...40 { try transaction.executeLater(later, parameters: [SQLValue(id)]) }
            let count: Int? = try transaction.firstRow(now)?.get("count")
            #expect(count == 40)
            try transaction.executeLater(later, parameters: [41])
        }
        try await database.write { try $0.executeLater(later, parameters: [42]) }
        for runsAnother in [false, true] {
            await #expect(throws: SQLError.uniqueViolation("notes.id")) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO notes (id) VALUES (50)")
                    try transaction.executeLater(later, parameters: [1])
                    try transaction.executeLater(later, parameters: [51])
                    if runsAnother { _ = try transaction.rows(now) }
                }
            }
        }
        await #expect(throws: Refusal.self) {
            try await database.write { transaction in
                _ = try transaction.rows(now)
                try transaction.executeLater(later, parameters: [52])
                throw Refusal()
            }
        }
        // None of the rolled-back ones is sent with the next transaction.
        try await database.write { try $0.execute("INSERT INTO notes (id) VALUES (60)") }
        let last: [Int] = try await database.read {
            try $0.rows("SELECT id FROM notes WHERE id > 40 ORDER BY id").map { try $0.get("id") }
        }
        #expect(last == [41, 42, 60])
        await #expect(throws: SQLError.writeInReadOnlyTransaction) {
            try await database.read { transaction in
                try transaction.executeLater(later, parameters: [70])
                _ = try transaction.rows(now)
            }
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func bodyWithoutStatementReturns(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        #expect(try await database.write { _ in 1 } == 1)
        #expect(try await database.read { _ in 2 } == 2)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func failedStatementAbortsTransaction(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        await #expect(throws: SQLError.transactionAborted) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                #expect(throws: SQLError.uniqueViolation("notes.id")) {
                    try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                }
                try transaction.execute("INSERT INTO notes (id) VALUES (2)")
            }
        }
        // A body that ignores the error must not store its earlier changes.
        for sql in ["INSERT INTO notes (id) VALUES (1)", "SELECT id FROM notes WHERE id = $1"] {
            await #expect(throws: SQLError.transactionAborted) {
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
    func bodyThatEndsItsTransactionFails(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        await #expect(throws: SQLError.transactionAborted) {
            try await database.write { transaction in
                try transaction.execute("ROLLBACK")
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
            }
        }
        await #expect(throws: SQLError.transactionAborted) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                try transaction.execute("ROLLBACK")
            }
        }
        #expect(try await database.write { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func readCannotWrite(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        await #expect(throws: SQLError.writeInReadOnlyTransaction) {
            try await database.read { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        }
        // Neither through another method, nor if the body catches the error.
        await #expect(throws: SQLError.self) {
            try await database.read { transaction in
                #expect(throws: SQLError.writeInReadOnlyTransaction) { try transaction.execute("DELETE FROM notes") }
            }
        }
        #expect(try await database.write { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    @Test(arguments: Engine.shared)
    func readKeepsSnapshotDuringWrites(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let counts = try await database.read { transaction in
            let before = try transaction.rows("SELECT id FROM notes").count
            // The thread waits for a commit on another thread, which it must not block.
            let written = DispatchSemaphore(value: 0)
            Task {
                defer { written.signal() }
                try await database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
            }
            written.wait()
            return [before, try transaction.rows("SELECT id FROM notes").count]
        }
        #expect(counts == [0, 0])
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 1)
        await database.close()
    }
}

import SQL
import Synchronization
import Testing

/// The check of the epoch, which an engine may send with the next statement.
@Suite struct EpochTests {
    private func opened(_ engine: Engine) async throws -> (database: any SQLDatabase, epoch: Int64) {
        let database = try await EngineLocation(engine).openWithTables()
        return (database, try #require(try await database.read { try $0.epoch() }))
    }

    @Test(arguments: Engine.allCases)
    func currentEpochIsAccepted(engine: Engine) async throws {
        let (database, epoch) = try await opened(engine)
        for id in 0..<3 {
            try await database.write { transaction in
                try transaction.require(epoch: epoch)
                try transaction.execute("INSERT INTO notes (id) VALUES ($1)", SQLValue(id))
                try transaction.execute("UPDATE notes SET text = $2 WHERE id = $1", SQLValue(id), SQLValue("\(id)"))
                #expect(transaction.changes == 1)
            }
            let count = try await database.read { transaction in
                try transaction.require(epoch: epoch)
                return try transaction.rows("SELECT id FROM notes").count + transaction.rows("SELECT 1 AS one").count
            }
            #expect(count == id + 2)
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func noStatementOfAnotherEpochHasEffect(engine: Engine) async throws {
        let (database, epoch) = try await opened(engine)
        try await database.write { try $0.beginEpoch() }
        let continued = Mutex(0)
        for _ in 0..<3 {
            await #expect(throws: SQLError.replaced) {
                try await database.write { transaction in
                    try transaction.require(epoch: epoch)
                    try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                    continued.withLock { $0 += 1 }
                }
            }
            await #expect(throws: SQLError.replaced) {
                try await database.read { transaction in
                    try transaction.require(epoch: epoch)
                    _ = try transaction.rows("SELECT id FROM notes")
                    continued.withLock { $0 += 1 }
                }
            }
        }
        #expect(continued.withLock(\.self) == 0)
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 0)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func bodyWithoutStatementIsChecked(engine: Engine) async throws {
        let (database, epoch) = try await opened(engine)
        try await database.write { try $0.require(epoch: epoch) }
        try await database.read { try $0.require(epoch: epoch) }
        try await database.write { try $0.beginEpoch() }
        await #expect(throws: SQLError.replaced) { try await database.write { try $0.require(epoch: epoch) } }
        await #expect(throws: SQLError.replaced) { try await database.read { try $0.require(epoch: epoch) } }
        await database.close()
    }

    /// The statement fails too: the error is that of the epoch, because the statement belongs to another database.
    @Test(arguments: Engine.allCases)
    func anotherEpochIsReportedBeforeFailedStatement(engine: Engine) async throws {
        let (database, epoch) = try await opened(engine)
        let insertion = "INSERT INTO notes (id) VALUES (1)"
        try await database.write { try $0.execute(insertion) }
        try await database.write { try $0.beginEpoch() }
        await #expect(throws: SQLError.replaced) {
            try await database.write { transaction in
                try transaction.require(epoch: epoch)
                try transaction.execute(insertion)
            }
        }
        await database.close()
    }

    /// A body that turns every error into its own.
    @Test(arguments: [Engine.postgres])
    func caughtErrorOfEpochIsReported(engine: Engine) async throws {
        struct OwnError: Error {}
        let (database, epoch) = try await opened(engine)
        try await database.write { try $0.beginEpoch() }
        await #expect(throws: SQLError.replaced) {
            try await database.write { transaction in
                try transaction.require(epoch: epoch)
                do {
                    try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                } catch {
                    throw OwnError()
                }
            }
        }
        await database.close()
    }
}

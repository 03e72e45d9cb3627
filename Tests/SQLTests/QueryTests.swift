import SQL
import Testing

@Suite struct QueryTests {
    private static let byID = "SELECT id, text FROM notes WHERE id = $1"

    private func filled(_ engine: Engine, count: Int) async throws -> any SQLDatabase {
        let database = try await EngineLocation(engine).openWithTables()
        try await database.write { transaction in
            for id in 0..<count {
                try transaction.execute(
                    "INSERT INTO notes (id, text) VALUES ($1, $2)", SQLValue(id), SQLValue("note \(id)"))
            }
        }
        return database
    }

    /// With one more than the queries of a round trip.
    @Test(arguments: Engine.allCases)
    func concurrentQueriesGetTheirOwnRows(engine: Engine) async throws {
        let count = 200
        let database = try await filled(engine, count: count)
        try await withThrowingTaskGroup { group in
            for id in 0...count {
                group.addTask {
                    let rows = try await database.rows(SQLQuery(Self.byID, [SQLValue(id)]))
                    #expect(try rows.map { try $0.get("text") } == (id < count ? ["note \(id)"] : []))
                }
            }
            try await group.waitForAll()
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func failedQueryFailsAlone(engine: Engine) async throws {
        let database = try await filled(engine, count: 1)
        try await withThrowingTaskGroup { group in
            for number in 0..<60 {
                group.addTask {
                    switch number % 6 {
                    case 0:
                        await #expect(throws: SQLError.self) { try await database.rows(SQLQuery("SELECT nothing", [])) }
                    case 1:
                        await #expect(throws: SQLError.parameterCount(expected: 1, given: 0)) {
                            try await database.rows(SQLQuery(Self.byID, []))
                        }
                    case 2:
                        // The failure of a statement that the engine has prepared: an integer overflows.
                        await #expect(throws: SQLError.self) {
                            try await database.rows(
                                SQLQuery("SELECT abs(CAST($1 AS BIGINT)) AS value", [.integer(.min)]))
                        }
                    default:
                        let rows = try await database.rows(SQLQuery(Self.byID, [.integer(0)]))
                        #expect(try rows.map { try $0.get("text") } == ["note 0"])
                    }
                }
            }
            try await group.waitForAll()
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func queryReadsEarlierWrites(engine: Engine) async throws {
        let database = try await filled(engine, count: 0)
        for id in 0..<20 {
            try await database.write { try $0.execute("INSERT INTO notes (id) VALUES ($1)", SQLValue(id)) }
            #expect(try await database.rows(SQLQuery(Self.byID, [SQLValue(id)])).count == 1)
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func limitBoundsRows(engine: Engine) async throws {
        let database = try await filled(engine, count: 3)
        let query = SQLQuery("SELECT id FROM notes ORDER BY id", [], limit: 2)
        #expect(try await database.rows(query).map { try $0.get("id") } == [0, 1])
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func queryThatWritesIsRefused(engine: Engine) async throws {
        let database = try await filled(engine, count: 1)
        await #expect(throws: SQLError.writeInReadOnlyTransaction) {
            try await database.rows(SQLQuery("DELETE FROM notes WHERE id = 0 RETURNING id", []))
        }
        #expect(try await database.rows(SQLQuery(Self.byID, [.integer(0)])).count == 1)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func queryOfAnotherEpochGetsNoRows(engine: Engine) async throws {
        let database = try await filled(engine, count: 1)
        let epoch = try await database.read { try $0.epoch() }
        let query = SQLQuery(Self.byID, [.integer(0)], epoch: epoch)
        try await database.write { try $0.beginEpoch() }
        async let current = database.rows(SQLQuery(Self.byID, [.integer(0)]))
        await #expect(throws: SQLError.replaced) { try await database.rows(query) }
        #expect(try await current.count == 1)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func queryAfterCloseIsRefused(engine: Engine) async throws {
        let database = try await filled(engine, count: 1)
        await database.close()
        await #expect(throws: SQLError.closed) { try await database.rows(SQLQuery(Self.byID, [.integer(0)])) }
    }
}

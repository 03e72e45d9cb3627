import SQL
import Testing

@Suite struct RaceTests {
    @Test(arguments: Engine.allCases)
    func codeIsConsumedOnceUnderConcurrency(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables(connections: 8)
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
    func uniqueNameIsInsertedOnceUnderConcurrency(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables(connections: 8)
        let results = await withTaskGroup(of: String.self) { group in
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
        #expect(results == ["taken": 1, "a row with the same notes.text exists": 49])
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func parallelIncrementsAreNotLost(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables(connections: 8)
        try await database.write { try $0.execute("INSERT INTO kinds (id, i) VALUES (1, 0)") }
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await database.write { transaction in
                        // Read and written separately, so that the result depends on the isolation of the transactions.
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

    /// Each of two may leave only if the other stays; each decision depends on rows that the other changes.
    @Test(arguments: Engine.allCases)
    func writeSkewIsPrevented(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables(connections: 8)
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
    func twoProcessesShareDatabase(engine: Engine) async throws {
        let place = try await EngineLocation(engine)
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

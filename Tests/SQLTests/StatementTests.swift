import SQL
import Testing

@Suite struct StatementTests {
    /// The error of a statement in its own write transaction.
    private func refusal(
        _ sql: String, _ parameters: SQLValue..., in database: any SQLDatabase
    ) async throws -> SQLError? {
        do {
            try await database.write { [parameters] in try $0.execute(sql, parameters: parameters) }
            return nil
        } catch let error as SQLError {
            return error
        }
    }

    /// Security rule JS5.
    @Test(arguments: Engine.allCases)
    func parametersAreBoundByNumber(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let row = try await database.write {
            try #require(
                try $0.firstRow("INSERT INTO pairs (b, a) VALUES ($2, $1) RETURNING a, b, a || $2 AS c", "one", "two"))
        }
        #expect(try row.get("a") == "one")
        #expect(try row.get("b") == "two")
        #expect(try row.get("c") == "onetwo")
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func wrongParameterCountIsRefused(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let sql = "SELECT a FROM pairs WHERE a = $1 AND b = $2"
        #expect(try await refusal(sql, "x", in: database) == .parameterCount(expected: 2, given: 1))
        #expect(try await refusal(sql, "x", "y", "z", in: database) == .parameterCount(expected: 2, given: 3))
        #expect(try await refusal("SELECT 1", 1, in: database) == .parameterCount(expected: 0, given: 1))
        #expect(try await refusal(sql, "x", "y", in: database) == nil)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func malformedStatementIsRefused(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let texts = [
            "SELECT ?", "SELECT :name", "SELECT a FROM pairs WHERE a = $2", "SELECT $x", "SELECT 1; SELECT 2", "",
            "-- nothing", "SELEKT 1", "SELECT \"colour\" FROM kinds", "SELECT a FROM nowhere",
        ]
        for text in texts {
            // One engine checks the number of parameters first, and it is wrong here too.
            switch try await refusal(text, in: database) {
            case .other, .parameterCount: break
            case let result: Issue.record("\(text): \(String(describing: result))")
            }
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func violationsNameConstraint(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        for (sql, expected) in [
            ("INSERT INTO pairs (a, b) VALUES ('A', 'b')", nil),
            ("INSERT INTO pairs (a, b) VALUES ('A', 'b')", .uniqueViolation("pairs.b, pairs.a")),
            ("INSERT INTO notes (id, text) VALUES (1, 'x')", nil),
            ("INSERT INTO notes (id, text) VALUES (1, 'y')", .uniqueViolation("notes.id")),
            ("INSERT INTO notes (id, text) VALUES (2, 'x')", .uniqueViolation("notes.text")),
            ("INSERT INTO kinds (t) VALUES ('A')", nil),
            ("INSERT INTO kinds (t) VALUES ('a')", .uniqueViolation("index 'kinds_lower'")),
            ("INSERT INTO notes (id, parent) VALUES (5, 99)", .foreignKeyViolation),
            ("INSERT INTO notes (id, parent) VALUES (6, 1)", nil),
            ("DELETE FROM notes WHERE id = 1", .foreignKeyViolation),
            ("INSERT INTO kinds (must) VALUES (NULL)", .notNullViolation("kinds.must")),
            ("INSERT INTO kinds (small) VALUES (10)", .checkViolation("small < 10")),
        ] as [(String, SQLError?)] {
            #expect(try await refusal(sql, in: database) == expected, "\(sql)")
        }
        await database.close()
    }

    private struct Seen: Error, Equatable { var error: SQLError }

    /// Another connection created the tables, as when another process migrates.
    @Test(arguments: Engine.shared)
    func violationsNameColumnsOfTablesCreatedElsewhere(engine: Engine) async throws {
        let place = try await EngineLocation(engine)
        let early = try await place.open()
        let late = try await place.openWithTables()
        #expect(try await refusal("INSERT INTO pairs (a, b) VALUES ('a', 'b')", in: early) == nil)
        let error = SQLError.uniqueViolation("pairs.b, pairs.a")
        await #expect(throws: Seen(error: error)) {
            // The body itself sees the columns, at the latest when it runs again.
            try await early.write { transaction in
                do throws(SQLError) {
                    try transaction.execute("INSERT INTO pairs (a, b) VALUES ('a', 'b')")
                } catch {
                    throw Seen(error: error)
                }
            }
        }
        await early.close()
        await late.close()
    }

    @Test(arguments: Engine.allCases)
    func changesCountsRowsOfLastChangingStatement(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        try await database.write { transaction in
            try transaction.execute("INSERT INTO notes (id) VALUES (1), (2), (3)")
            #expect(transaction.changes == 3)
            #expect(try transaction.rows("SELECT id FROM notes").count == 3)
            #expect(transaction.changes == 3)
            try transaction.execute("UPDATE notes SET text = NULL WHERE id > $1", 1)
            #expect(transaction.changes == 2)
            try transaction.execute("INSERT INTO notes (id) VALUES (1) ON CONFLICT DO NOTHING")
            #expect(transaction.changes == 0)
            // One row is requested, and every row is deleted.
            #expect(try transaction.firstRow("DELETE FROM notes RETURNING id") != nil)
            #expect(transaction.changes == 3)
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").isEmpty })
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func rowIDsAreGenerated(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let ids: [Int] = try await database.write { transaction in
            try (0..<3).map { _ in
                try #require(try transaction.firstRow("INSERT INTO notes (text) VALUES (NULL) RETURNING id")).get("id")
            }
        }
        #expect(ids == [1, 2, 3])
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func manyStatementsDoNotEvictOthersPermanently(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        try await database.write { transaction in
            try transaction.execute("INSERT INTO kinds (id, i) VALUES (1, 1)")
            // More statements than stay prepared.
            for number in 0..<600 {
                let row = try transaction.firstRow("SELECT \(number) + i AS sum FROM kinds WHERE id = $1", 1)
                #expect(try row?.get("sum") == number + 1)
            }
            #expect(try transaction.firstRow("SELECT 0 + i AS sum FROM kinds WHERE id = $1", 1)?.get("sum") == 1)
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func preparedStatementSeesChangedSchema(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables(connections: 1)
        try await database.write { try $0.execute("INSERT INTO pairs VALUES ('x', 'y')") }
        let read: @Sendable () async throws -> SQLRow? = {
            try await database.read { try $0.firstRow("SELECT * FROM pairs") }
        }
        #expect(try await read()?.get("b") == "y")
        try await database.write { try $0.run(script: "ALTER TABLE pairs ADD COLUMN c TEXT DEFAULT 'z'") }
        #expect(try await read()?.get("c") == "z")
        await database.close()
    }
}

import SQL
import TestSupport
import Testing

@testable import Postgres

@Suite struct PostgresStatementTests {
    private func open(_ limits: PostgresDatabase.Limits = .longRunning) async throws -> PostgresDatabase {
        let database = try await PostgresDatabase(
            try await freshURL(), schema: "tests", connections: 1, limits: limits)
        try await database.migrate(numbers)
        return database
    }

    @Test(
        arguments: [
            ("1.5::numeric", "the type numeric"), ("now()", "the type timestamp with time zone"),
            ("'{}'::jsonb", "the type jsonb"), ("'{1}'::int[]", "the type with number 1007"),
        ])
    func ambiguousTypeIsNamedAndRefused(expression: String, type: String) async throws {
        let database = try await open()
        let expected = SQLError.columnTypeMismatch(
            name: "v", expected: "an integer, a real, text or a blob", found: type)
        await #expect(throws: expected) { try await database.read { try $0.rows("SELECT \(expression) AS v") } }
        // Null has the same meaning in every type.
        #expect(try await database.read { try $0.firstRow("SELECT NULL::numeric AS v")?.values } == [.null])
        await database.close()
    }

    @Test(
        arguments: [
            ("true", 1), ("false", 0), ("7::int2", 7), ("-7::int4", -7), ("1.5::float4", 1.5), ("1.5::float8", 1.5),
            ("'x'::name", "x"), ("'x'::varchar(3)", "x"), ("'\\x00ff'::bytea", .blob([0, 255])), ("''", ""),
        ] as [(String, SQLValue)])
    func supportedTypesAreRead(expression: String, value: SQLValue) async throws {
        let database = try await open()
        #expect(try await database.read { try $0.firstRow("SELECT \(expression) AS v")?.values } == [value])
        await database.close()
    }

    @Test(
        arguments: [
            ("BYTEA", "text"), ("BYTEA", 1), ("TEXT", 1), ("TEXT", 0.5), ("TEXT", .blob([1])), ("BIGINT", .blob([1])),
        ] as [(String, SQLValue)])
    func implicitConversionIsRefused(type: String, value: SQLValue) async throws {
        let database = try await open()
        let error = await refusal {
            try await database.read { _ = try $0.rows("SELECT CAST($1 AS \(type)) AS v", value) }
        }
        guard case .other(code: "42804", let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("$1"))
        await database.close()
    }

    /// SQLite stores it. A service that accepts text must reject it on input.
    @Test func textWithNULIsRefusedBeforeSending() async throws {
        let database = try await open()
        let error = await refusal {
            try await database.read { _ = try $0.rows("SELECT CAST($1 AS TEXT) AS v", "a\u{0}b") }
        }
        guard case .other(code: "22021", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await database.close()
    }

    @Test func preparedStatementsAreBounded() async throws {
        var limits = PostgresDatabase.Limits.longRunning
        limits.statements = 5
        let database = try await open(limits)
        for round in 0..<2 {
            for number in 0..<20 {
                let sum: Int? = try await database.read {
                    try $0.firstRow("SELECT \(number) + CAST($1 AS INTEGER) AS sum", SQLValue(round))?.get("sum")
                }
                #expect(sum == number + round)
            }
        }
        let count: Int? = try await database.read {
            try $0.firstRow("SELECT count(*) AS n FROM pg_catalog.pg_prepared_statements")?.get("n")
        }
        // An evicted statement is deallocated when the next one is prepared.
        #expect(try #require(count) <= 6)
        await database.close()
    }

    @Test func deallocatedStatementsArePreparedAgain() async throws {
        let database = try await open()
        try await database.insert(1)
        #expect(try await database.ids() == [1])
        try await database.write { try $0.run(script: "DEALLOCATE ALL") }
        #expect(try await database.ids() == [1])
        try await database.insert(2)
        #expect(try await database.ids() == [1, 2])
        await database.close()
    }

    @Test func leastRecentlyUsedStatementIsEvicted() {
        var statements = PostgresStatements(limit: 2)
        func insert(_ sql: String) {
            statements.insert(
                PostgresStatement(name: statements.newName(), parameterTypes: [], positions: [:]), for: sql)
        }
        insert("a")
        insert("b")
        #expect(statements["a"]?.name == "s1")
        insert("c")
        #expect(statements["b"] == nil)
        #expect(statements["a"] != nil && statements["c"] != nil)
        #expect(statements.evictedNames == ["s2"])
        #expect(statements.count == 2)
    }
}

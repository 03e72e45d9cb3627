import SQL
import Testing

@Suite struct ValueTests {
    private static let values: [(column: String, value: SQLValue)] = [
        ("i", .null), ("t", .null), ("i", .integer(.min)), ("i", .integer(.max)), ("i", 0), ("i", -1), ("r", -0.5),
        ("r", 3.0), ("r", .real(.greatestFiniteMagnitude)), ("r", .real(.leastNonzeroMagnitude)), ("r", 0.1),
        ("t", ""), ("t", "é 日本 \u{1F511} '\"\\ \u{7f}\u{1}"), ("t", .text(String(repeating: "x", count: 100_000))),
        ("b", .blob([])), ("b", .blob([0, 255, 0])), ("b", .blob([UInt8](repeating: 92, count: 100_000))),
    ]

    @Test(arguments: Engine.allCases)
    func valuesRoundTrip(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        for (id, (column, value)) in Self.values.enumerated() {
            let stored = try await database.write { transaction in
                let row = try transaction.firstRow(
                    "INSERT INTO kinds (id, \(column)) VALUES ($1, $2) RETURNING \(column) AS v", SQLValue(id), value)
                return try #require(row)
            }
            let found = try await database.read {
                try #require(try $0.firstRow("SELECT \(column) AS v FROM kinds WHERE id = $1", SQLValue(id)))
            }
            for row in [stored, found] {
                switch value {
                case .null: #expect(try row.getIfPresent("v") as Int? == nil)
                case .integer(let number): #expect(try row.get("v") == number)
                case .real(let number): #expect(try row.get("v") == number)
                case .text(let text): #expect(try row.get("v") == text)
                case .blob(let bytes): #expect(try row.get("v") == bytes)
                }
            }
        }
        await database.close()
    }

    @Test func optionalsBecomeNull() {
        #expect(SQLValue(String?.none) == .null)
        #expect(SQLValue(Int64?.none) == nil)
        #expect(SQLValue([UInt8]?.some([1])) == .blob([1]))
        #expect(SQLValue(true) == 1)
        #expect(SQLValue(Int?.some(7)) == 7)
        #expect(SQLValue(0.5) == 0.5)
    }

    @Test(arguments: Engine.allCases)
    func typeMismatchNamesColumnAndTypes(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        let row = try await database.read {
            try #require(
                try $0.firstRow("SELECT 1 AS one, 2 AS two, 'text' AS t, NULL AS n, CAST(1.5 AS REAL) AS r"))
        }
        #expect(try row.get("one") == true)
        #expect(try row.get("two") == 2.0)
        #expect(throws: SQLError.columnTypeMismatch(name: "two", expected: "0 or 1", found: "an integer")) {
            try row.get("two") as Bool
        }
        #expect(throws: SQLError.columnTypeMismatch(name: "t", expected: "an integer", found: "text")) {
            try row.get("t") as Int
        }
        #expect(throws: SQLError.columnTypeMismatch(name: "t", expected: "a blob", found: "text")) {
            try row.getIfPresent("t") as [UInt8]?
        }
        #expect(throws: SQLError.columnTypeMismatch(name: "r", expected: "an integer", found: "a real")) {
            try row.get("r") as Int64
        }
        #expect(throws: SQLError.columnTypeMismatch(name: "n", expected: "text", found: "null")) {
            try row.get("n") as String
        }
        #expect(throws: SQLError.columnTypeMismatch(name: "x", expected: "text", found: "nothing: it was not selected"))
        {
            try row.getIfPresent("x") as String?
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func castSumIsInteger(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let sum: Int = try await database.write { transaction in
            try transaction.execute("INSERT INTO kinds (i) VALUES (1), (2)")
            return try #require(try transaction.firstRow("SELECT CAST(SUM(i) AS INTEGER) AS sum FROM kinds")).get("sum")
        }
        #expect(sum == 3)
        await database.close()
    }

    /// Capital letters come before small ones, and both come before letters with accents.
    @Test(arguments: Engine.allCases)
    func textIsOrderedByBytes(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let texts = ["é", "a", "B", "_", "b", "A", "ab", "a-c"]
        let ordered: [String] = try await database.write { transaction in
            for text in texts { try transaction.execute("INSERT INTO pairs VALUES ($1, '')", .text(text)) }
            return try transaction.rows("SELECT a FROM pairs ORDER BY a").map { try $0.get("a") }
        }
        #expect(ordered == ["A", "B", "_", "a", "a-c", "ab", "b", "é"])
        await database.close()
    }
}

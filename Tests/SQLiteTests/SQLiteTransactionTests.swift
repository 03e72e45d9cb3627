import SQL
import SQLite
import TestSupport
import Testing

@Suite struct SQLiteTransactionTests {
    private let database: SQLiteDatabase

    init() async throws {
        database = try SQLiteDatabase(.memory)
        try await database.migrate([
            SQLMigration(
                1, "all kinds",
                """
                CREATE TABLE kinds (
                    i INTEGER, r REAL, t TEXT, b BLOB, must TEXT NOT NULL DEFAULT '', small INTEGER CHECK (small < 10)
                ) STRICT;
                CREATE TABLE pairs (a TEXT, b TEXT, PRIMARY KEY (a, b)) STRICT;
                CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES children) STRICT;
                CREATE UNIQUE INDEX kinds_lower ON kinds (lower(t));
                """)
        ])
    }

    private func firstRow(_ sql: String, _ parameters: SQLValue...) async throws -> SQLRow {
        let row = try await database.write { [parameters] transaction in
            switch parameters.count {
            case 0: try transaction.firstRow(sql)
            case 1: try transaction.firstRow(sql, parameters[0])
            default: try transaction.firstRow(sql, parameters[0], parameters[1])
            }
        }
        return try #require(row)
    }

    private func refusal(_ sql: String, _ parameters: SQLValue...) async throws -> SQLError? {
        do {
            try await database.write { [parameters] transaction in
                if let parameter = parameters.first {
                    try transaction.execute(sql, parameter)
                } else {
                    try transaction.execute(sql)
                }
            }
            return nil
        } catch let error as SQLError {
            return error
        }
    }

    @Test(
        arguments: [
            .null, .integer(.min), .integer(.max), .integer(0), .real(-0.5), .real(.greatestFiniteMagnitude), .text(""),
            .text("é\u{0}日本"), .text(String(repeating: "x", count: 100_000)), .blob([]), .blob([0, 255, 0]),
        ] as [SQLValue])
    func valuesComeBackAsTheyWere(value: SQLValue) async throws {
        let column =
            switch value {
            case .null, .integer: "i"
            case .real: "r"
            case .text: "t"
            case .blob: "b"
            }
        let row = try await firstRow("INSERT INTO kinds (\(column)) VALUES ($1) RETURNING \(column) AS v", value)
        switch value {
        case .null: #expect(try row.getIfPresent("v") as Int? == nil)
        case .integer(let number): #expect(try row.get("v") == number)
        case .real(let number): #expect(try row.get("v") == number)
        case .text(let text): #expect(try row.get("v") == text)
        case .blob(let bytes): #expect(try row.get("v") == bytes)
        }
    }

    @Test func optionalsBecomeNull() {
        #expect(SQLValue(String?.none) == .null)
        #expect(SQLValue(Int64?.none) == nil)
        #expect(SQLValue([UInt8]?.some([1])) == .blob([1]))
        #expect(SQLValue(true) == 1)
        #expect(SQLValue(Int?.some(7)) == 7)
        #expect(SQLValue(0.5) == 0.5)
    }

    @Test func readingNamesTheColumnAndTheTypesThatDisagree() async throws {
        let row = try await firstRow("SELECT 1 AS one, 2 AS two, 'text' AS t, NULL AS n, 1.5 AS r")
        #expect(try row.get("one") == true)
        #expect(try row.get("two") == 2.0)
        #expect(throws: SQLError.column(name: "two", expected: "0 or 1", found: "an integer")) {
            try row.get("two") as Bool
        }
        #expect(throws: SQLError.column(name: "t", expected: "an integer", found: "text")) {
            try row.get("t") as Int
        }
        #expect(throws: SQLError.column(name: "t", expected: "a blob", found: "text")) {
            try row.getIfPresent("t") as [UInt8]?
        }
        #expect(throws: SQLError.column(name: "r", expected: "an integer", found: "a real")) {
            try row.get("r") as Int64
        }
        #expect(throws: SQLError.column(name: "n", expected: "text", found: "null")) { try row.get("n") as String }
        #expect(throws: SQLError.column(name: "x", expected: "text", found: "nothing: it was not selected")) {
            try row.getIfPresent("x") as String?
        }
    }

    @Test func parametersAreBoundByNumberNotByPlace() async throws {
        let row = try await firstRow("SELECT $2 AS second, $1 AS first, $2 AS again", "one", "two")
        #expect(try row.get("first") == "one")
        #expect(try row.get("second") == "two")
        #expect(try row.get("again") == "two")
    }

    @Test func aWrongNumberOfParametersIsRefused() async throws {
        #expect(try await refusal("SELECT $1, $2", 1) == .parameterCount(expected: 2, given: 1))
        #expect(try await refusal("SELECT 1", 1) == .parameterCount(expected: 0, given: 1))
    }

    @Test(arguments: ["SELECT ?", "SELECT :name", "SELECT $2", "SELECT $x", "SELECT 1; SELECT 2", "", "-- nothing"])
    func whatIsNotOneStatementWithNumberedParametersIsRefused(sql: String) async throws {
        guard case .other(code: "21", _) = try await refusal(sql, 1) else {
            Issue.record("not refused as misuse")
            return
        }
    }

    @Test func aMisspeltColumnInQuotesIsNotTakenForText() async throws {
        guard case .other(code: "1", let message) = try await refusal("SELECT \"colour\" FROM kinds") else {
            Issue.record("not refused")
            return
        }
        #expect(message.contains("colour"))
    }

    @Test func violationsNameWhatWasViolated() async throws {
        #expect(try await refusal("INSERT INTO pairs VALUES ('A', 'b')") == nil)
        #expect(try await refusal("INSERT INTO pairs VALUES ('A', 'b')") == .uniqueViolation("pairs.a, pairs.b"))
        #expect(try await refusal("INSERT INTO kinds (t) VALUES ('A')") == nil)
        #expect(try await refusal("INSERT INTO kinds (t) VALUES ('a')") == .uniqueViolation("index 'kinds_lower'"))
        #expect(try await refusal("INSERT INTO children VALUES (1, 9)") == .foreignKeyViolation)
        #expect(try await refusal("INSERT INTO kinds (must) VALUES (NULL)") == .notNullViolation("kinds.must"))
        #expect(try await refusal("INSERT INTO kinds (small) VALUES (10)") == .checkViolation("small < 10"))
    }

    @Test func manyTextsDoNotCrowdOutTheOthers() async throws {
        try await database.write { transaction in
            // More than are kept prepared.
            for number in 0..<1000 {
                let row = try transaction.firstRow("SELECT \(number) + $1 AS sum", 1)
                #expect(try row?.get("sum") == number + 1)
            }
            #expect(try transaction.firstRow("SELECT 0 + $1 AS sum", 1)?.get("sum") == 1)
        }
    }

    @Test func aPreparedStatementSeesASchemaThatChanged() async throws {
        try await database.write { try $0.execute("INSERT INTO pairs VALUES ('x', 'y')") }
        #expect(try await firstRow("SELECT * FROM pairs").get("b") == "y")
        try await database.write { try $0.execute("ALTER TABLE pairs ADD COLUMN c TEXT DEFAULT 'z'") }
        #expect(try await firstRow("SELECT * FROM pairs").get("c") == "z")
    }

    @Test func aBodyThatEndsItsTransactionFailsAndTheNextWorks() async throws {
        await #expect(throws: SQLError.transactionLost) {
            try await database.write { transaction in
                try transaction.execute("ROLLBACK")
                try transaction.execute("INSERT INTO kinds (i) VALUES (1)")
            }
        }
        #expect(try await firstRow("SELECT count(*) AS n FROM kinds").get("n") == 0)
    }
}

import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

private enum Purpose: String, SQLConvertible { case signIn = "sign-in", enrollment }

private enum CountTable: String, SQLRealmTable {
    case project, tenant, purpose, count, spent
    case changedAt = "changed_at"
    case lockedUntil = "locked_until"

    static let table = "counts"
    static let key = [project, tenant, purpose]
    static let expiry = SQLExpiry.after(Self.changedAt, lifetime: .seconds(60))

    static let insertion = insert()
    static let insertionIfAbsent = insert("ON CONFLICT DO NOTHING")
    static let replacement = upsert()
    static let byKey = select()
    static let recent = select([purpose, count], where: [project], "AND changed_at > $1 ORDER BY count DESC LIMIT $2")
    static let every = select(where: [])
    static let lock = update([lockedUntil, changedAt], "AND changed_at = $1")
    static let increment = SQLStatement<Self>(
        """
        UPDATE counts SET count = count + $1, spent = spent + :spent
        WHERE project = :project AND tenant = :tenant AND purpose = :purpose AND spent < :spent
        """)
    static let removal = delete("AND count > $1")

    static let migration = SQLMigration(
        1, "counts",
        """
        CREATE TABLE counts (
            tenant TEXT NOT NULL, project TEXT NOT NULL, purpose TEXT NOT NULL, count INTEGER NOT NULL,
            spent INTEGER NOT NULL, changed_at INTEGER NOT NULL, locked_until INTEGER,
            PRIMARY KEY (project, tenant, purpose)
        )
        """)
}

@Suite struct TableDescriptionTests {
    private static let realm = Realm(project: ProjectID("demo"), tenant: TenantID("t"))
    private static let now = Moment(milliseconds: 1_000_000)

    private static func key(_ purpose: Purpose = .signIn) -> SQLRecord<CountTable> {
        SQLRecord(realm) + [.purpose: purpose]
    }

    private static func record(_ purpose: Purpose = .signIn, count: Int = 1) -> SQLRecord<CountTable> {
        key(purpose) + [.count: count, .spent: 5, .changedAt: now, .lockedUntil: nil]
    }

    private func database(_ engine: Engine) async throws -> any SQLDatabase {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([CountTable.migration])
        return database
    }

    @Test(arguments: Engine.allCases)
    func rowIsReadByColumnAsItWasWritten(engine: Engine) async throws {
        let database = try await database(engine)
        try await database.write { try $0.execute(CountTable.insertion, Self.record(count: 3)) }
        let row = try await database.read { try #require(try $0.firstRow(CountTable.byKey, Self.key())) }
        #expect(try row.realm() == Self.realm)
        #expect(try row.get(.purpose) == Purpose.signIn)
        #expect(try row.get(.count) == 3)
        #expect(try row.get(.changedAt) == Self.now)
        #expect(try row.getIfPresent(.lockedUntil) == nil as Moment?)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func upsertReplacesRowOfKey(engine: Engine) async throws {
        let database = try await database(engine)
        let rows = try await database.write { transaction in
            try transaction.execute(CountTable.replacement, Self.record(count: 1))
            try transaction.execute(CountTable.replacement, Self.record(count: 2))
            try transaction.execute(CountTable.insertionIfAbsent, Self.record(count: 3))
            return try transaction.rows(CountTable.every)
        }
        #expect(try rows.map { try $0.get(.count) as Int } == [2])
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func argumentsStandBesideColumns(engine: Engine) async throws {
        let database = try await database(engine)
        try await database.write { transaction in
            try transaction.execute(CountTable.insertion, Self.record(.signIn, count: 1))
            try transaction.execute(CountTable.insertion, Self.record(.enrollment, count: 2))
            let rows = try transaction.rows(
                CountTable.recent, [.project: Self.realm.project], Self.now - .seconds(1), 5)
            #expect(try rows.map { try $0.get(.purpose) } == [Purpose.enrollment, .signIn])
            #expect(try transaction.rows(CountTable.recent, [.project: "other"], Self.now - .seconds(1), 5).isEmpty)

            let later = Self.now + .seconds(1)
            let lock: SQLRecord<CountTable> = [.lockedUntil: later, .changedAt: later]
            try transaction.execute(CountTable.lock, Self.key() + lock, later)
            #expect(transaction.changes == 0)
            try transaction.execute(CountTable.lock, Self.key() + lock, Self.now)
            #expect(transaction.changes == 1)

            try transaction.execute(CountTable.increment, Self.key() + [.spent: 6], 10)
            let row = try #require(try transaction.firstRow(CountTable.byKey, Self.key()))
            #expect(try row.get(.count) == 11)
            #expect(try row.get(.spent) == 11)
            #expect(try row.get(.lockedUntil) == later)

            try transaction.execute(CountTable.removal, Self.key(), 11)
            #expect(transaction.changes == 0)
            try transaction.execute(CountTable.removal, Self.key(), 10)
            #expect(transaction.changes == 1)
        }
        await database.close()
    }

    private enum NumberedTable: String, SQLTableDescription {
        case sequence, name
        case expiresAt = "expires_at"

        static let table = "numbered"
        static let key = [sequence]
        static let expiry = SQLExpiry<Self>.deletedBy("a test")

        static let insertion = insert(omitting: [sequence], "ON CONFLICT (name) DO NOTHING")
        static let names = select([sequence, name], where: [], "ORDER BY sequence")
        static let migration = SQLMigration(
            1, "numbered",
            "CREATE TABLE numbered (sequence INTEGER PRIMARY KEY, name TEXT UNIQUE, expires_at INTEGER NOT NULL)")
    }

    @Test(arguments: Engine.allCases)
    func databaseFillsInTheOmittedColumn(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([NumberedTable.migration])
        try await database.write { transaction in
            for name in ["a", "b", "a"] {
                try transaction.execute(NumberedTable.insertion, [.name: name, .expiresAt: Timestamp(seconds: 1)])
            }
            let rows = try transaction.rows(NumberedTable.names)
            #expect(try rows.map { try $0.get(.name) } == ["a", "b"])
            let numbers: [Int64] = try rows.map { try $0.get(.sequence) }
            #expect(numbers == numbers.sorted() && Set(numbers).count == 2)
        }
        #expect(
            try await TableDescriptionCheck.differences(between: [NumberedTable.self], and: database, others: [])
                .isEmpty)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func recordWithMissingOrUnexpectedColumnsIsRejected(engine: Engine) async throws {
        let database = try await database(engine)
        func refusal(_ statement: SQLStatement<CountTable>, _ record: SQLRecord<CountTable>) async -> SQLError? {
            await #expect(throws: SQLError.self) {
                try await database.write { try $0.execute(statement, record) }
            }
        }
        #expect(
            await refusal(CountTable.insertion, Self.key())
                == .recordMismatch(
                    table: "counts", missing: ["count", "spent", "changed_at", "locked_until"], unexpected: []))
        #expect(
            await refusal(CountTable.byKey, Self.record())
                == .recordMismatch(
                    table: "counts", missing: [],
                    unexpected: ["changed_at", "count", "locked_until", "spent"]))
        #expect(
            await refusal(CountTable.byKey, SQLRecord(Self.realm) + [.count: 1])
                == .recordMismatch(table: "counts", missing: ["purpose"], unexpected: ["count"]))
        #expect(await refusal(CountTable.removal, Self.key()) == .parameterCount(expected: 1, given: 0))
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func columnThatWasNotSelectedIsATypedError(engine: Engine) async throws {
        let database = try await database(engine)
        try await database.write { transaction in
            try transaction.execute(CountTable.insertion, Self.record())
            let row = try #require(
                try transaction.firstRow(CountTable.recent, [.project: "demo"], Moment(milliseconds: 0), 1))
            #expect(throws: SQLError.self) { try row.get(.spent) as Int }
            #expect(throws: SQLError.self) { try row.get(.count) as String }
        }
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func unknownRawValueIsATypedError(engine: Engine) async throws {
        let database = try await database(engine)
        try await database.write { transaction in
            try transaction.execute(CountTable.insertion, Self.record() + [.purpose: "other"])
            let row = try #require(try transaction.firstRow(CountTable.every))
            #expect(
                throws: SQLError.columnTypeMismatch(
                    name: "purpose", expected: "a raw value of Purpose", found: "text")
            ) { try row.get(.purpose) as Purpose }
        }
        await database.close()
    }

    @Test func statementHasOneTextWithNumberedParameters() {
        #expect(
            CountTable.lock.text == """
                UPDATE counts SET locked_until = $2, changed_at = $3 \
                WHERE project = $4 AND tenant = $5 AND purpose = $6 AND changed_at = $1
                """)
        let repeated = SQLStatement<CountTable>("UPDATE counts SET count = :count WHERE count <> :count AND spent = $2")
        #expect(repeated.text == "UPDATE counts SET count = $3 WHERE count <> $3 AND spent = $2")
        #expect(SQLStatement<CountTable>("SELECT :unknown").text == "SELECT :unknown")
    }

    @Test(arguments: Engine.allCases)
    func differencesFromCatalogAreNamed(engine: Engine) async throws {
        let database = try await database(engine)
        func differences(_ tables: [any SQLTableDescription.Type]) async throws -> [String] {
            try await TableDescriptionCheck.differences(between: tables, and: database, others: [])
        }
        #expect(try await differences([CountTable.self]).isEmpty)
        #expect(try await differences([]) == ["the table counts has no description"])
        #expect(
            try await differences([CountTable.self, AbsentTable.self])
                == ["the table absent is described but does not exist"])
        try await database.migrate([
            CountTable.migration,
            SQLMigration(
                2, "absent", "CREATE TABLE absent (id TEXT PRIMARY KEY, name TEXT, expires_at INTEGER NOT NULL)"),
        ])
        #expect(
            try await differences([CountTable.self, AbsentTable.self]) == [
                "the column absent.expires_at is only described or only exists",
                "the key of absent is [\"id\"], described as [\"name\"]",
                "the rows of absent expire but are never deleted",
            ])
        await database.close()
    }

    @Test func columnWithJSONIsDecoded() throws {
        let row = SQLTableRow<AbsentTable>(
            SQLRow(positions: ["id": 0, "name": 1], values: [.text(try WireJSON.text(["a": [1, 2]])), .null]))
        #expect(try row.getJSON(.id) == ["a": [1, 2]])
        #expect(try row.getJSONIfPresent(.id) == ["a": [1, 2]])
        let absent: [String: Int]? = try row.getJSONIfPresent(.name)
        #expect(absent == nil)
        #expect(throws: SQLError.self) { let _: [String: Int] = try row.getJSON(.name) }
        #expect(throws: DecodingError.self) { let _: [String: String] = try row.getJSON(.id) }
    }

    private enum AbsentTable: String, SQLTableDescription {
        case id, name

        static let table = "absent"
        static let key = [name]
        static let expiry = SQLExpiry<Self>.never
    }
}

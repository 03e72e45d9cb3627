import SQL
import SQLite
import Storage
import Synchronization
import TestSupport
import Testing
import Vocabulary

@Suite struct SweeperTests {
    static let lifetime = Duration.seconds(60)
    static let rule = Sweeper.Rule("codes", keys: ["realm", "code"], time: "made_at", lifetime: lifetime)
    static let simple = Sweeper.Rule("nonces", keys: ["nonce"], time: "ends_at")

    static func database() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(.memory)
        try await database.migrate([
            SQLMigration(
                1, "transients",
                """
                CREATE TABLE codes (
                    realm TEXT NOT NULL, code INTEGER NOT NULL, made_at INTEGER NOT NULL, PRIMARY KEY (realm, code));
                CREATE INDEX codes_made_at ON codes (made_at);
                CREATE TABLE nonces (nonce INTEGER NOT NULL, ends_at INTEGER NOT NULL, PRIMARY KEY (nonce));
                CREATE INDEX nonces_ends_at ON nonces (ends_at);
                CREATE TABLE visits (
                    visit INTEGER NOT NULL, used_at INTEGER NOT NULL, check_at INTEGER NOT NULL DEFAULT 0,
                    PRIMARY KEY (visit));
                CREATE INDEX visits_check_at ON visits (check_at);
                """)
        ])
        return database
    }

    private static func add(_ count: Int, from first: Int, at now: Moment, to database: any SQLDatabase) async throws {
        try await database.write { transaction in
            for number in first..<first + count {
                try transaction.execute(
                    "INSERT INTO codes (realm, code, made_at) VALUES ($1, $2, $3)", .text(number % 2 == 0 ? "a" : "b"),
                    .integer(Int64(number)), .integer(now.milliseconds))
            }
        }
    }

    private static func count(_ table: String, in database: any SQLDatabase) async throws -> Int {
        try await database.read { try $0.firstRow("SELECT COUNT(*) AS n FROM \(table)")!.get("n") }  // COUNT has a row.
    }

    @Test(arguments: [(Duration.milliseconds(-1), 1), (.zero, 1), (.milliseconds(1), 0)])
    func rowIsDeletedAfterItsLifetime(beyond: Duration, left: Int) async throws {
        let database = try await Self.database()
        let clock = ManualClock()
        try await Self.add(1, from: 0, at: clock.now, to: database)
        clock.advance(by: Self.lifetime + beyond)
        #expect(try await Sweeper([Self.rule], in: database).sweep(at: clock.now) == 1 - left)
        #expect(try await Self.count("codes", in: database) == left)
    }

    @Test func columnCanContainExpiry() async throws {
        let database = try await Self.database()
        let clock = ManualClock()
        let end = clock.now.milliseconds
        try await database.write { transaction in
            for nonce: Int64 in 0..<3 {
                try transaction.execute(
                    "INSERT INTO nonces (nonce, ends_at) VALUES ($1, $2)", .integer(nonce), .integer(end + nonce))
            }
        }
        clock.advance(by: .milliseconds(2))
        #expect(try await Sweeper([Self.rule, Self.simple], in: database).sweep(at: clock.now) == 2)
    }

    private enum CodeTable: String, SQLTableDescription {
        case realm, code
        case madeAt = "made_at"

        static let table = "codes"
        static let key = [realm, code]
        static let expiry = SQLExpiry.afterRetention(Self.madeAt)
    }

    private enum NonceTable: String, SQLTableDescription {
        case nonce
        case endsAt = "ends_at"

        static let table = "nonces"
        static let key = [nonce]
        static let expiry = SQLExpiry.at(Self.endsAt)
    }

    @Test func rulesComeFromDescribedTables() async throws {
        let database = try await Self.database()
        let clock = ManualClock()
        try await Self.add(4, from: 0, at: clock.now, to: database)
        try await database.write { [end = clock.now.milliseconds] transaction in
            try transaction.execute("INSERT INTO nonces (nonce, ends_at) VALUES (1, $1)", .integer(end))
        }
        let sweeper = Sweeper([CodeTable.self, NonceTable.self], retention: Self.lifetime, in: database)
        clock.advance(by: .seconds(1))
        #expect(try await sweeper.sweep(at: clock.now) == 1)
        clock.advance(by: Self.lifetime)
        #expect(try await sweeper.sweep(at: clock.now) == 4)
    }

    @Test(arguments: [0, 1, 9, 10, 11, 20, 35])
    func rowsAreDeletedInBatchesBetweenOtherWrites(rows: Int) async throws {
        let database = CountingDatabase(try await Self.database())
        let clock = ManualClock()
        if rows > 0 { try await Self.add(rows, from: 0, at: clock.now, to: database.database) }
        clock.advance(by: Self.lifetime + .seconds(1))
        #expect(try await Sweeper([Self.rule], in: database, batch: 10).sweep(at: clock.now) == rows)
        #expect(database.writes == rows / 10 + 1)
        #expect(try await Self.count("codes", in: database) == 0)
    }

    /// For any distribution of new rows, the table never contains more than the rows of one lifetime and one interval.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func tableSizeIsBoundedUnderLoad(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let database = try await Self.database()
        let sweeper = Sweeper([Self.rule], in: database, batch: 50)
        let clock = ManualClock()
        let round = Duration.seconds(10)
        var added: [Int] = []
        var next = 0
        for _ in 0..<60 {
            let count = Int(random.next() % 120)
            try await Self.add(count, from: next, at: clock.now, to: database)
            next += count
            added.append(count)
            clock.advance(by: round)
            try await sweeper.sweep(at: clock.now)
            // A lifetime has six intervals, and a row of exactly that age is still valid.
            #expect(try await Self.count("codes", in: database) == added.suffix(6).reduce(0, +))
        }
    }

    private enum VisitTable: String, SQLTableDescription {
        case visit
        case usedAt = "used_at"
        case checkAt = "check_at"

        static let table = "visits"
        static let key = [visit]
        static let expiry = SQLExpiry.afterLastUse(
            Self.usedAt, checkedAt: Self.checkAt, lifetime: SweeperTests.lifetime)
    }

    /// Rows that are used now and then stay for a lifetime after the last use, also those that an earlier release added
    /// without a time of the check. Each is looked at once in a lifetime.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func usedRowsStay(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let database = try await Self.database()
        let sweeper = Sweeper([VisitTable.self], in: database, batch: 7)
        let clock = ManualClock()
        var lastUses: [Int64: Moment] = [:]
        for round in 0..<60 as Range<Int64> {
            let now = clock.now
            var added: [(visit: Int64, isOfEarlierRelease: Bool)] = []
            for number in 0..<Int64(random.next() % 12) {
                added.append((round * 100 + number, random.next() % 2 == 0))
                lastUses[round * 100 + number] = now
            }
            let used = lastUses.keys.sorted().filter { _ in random.next() % 8 == 0 }
            for visit in used { lastUses[visit] = now }
            try await database.write { [added] transaction in
                for row in added {
                    let check = row.isOfEarlierRelease ? 0 : (now + Self.lifetime).milliseconds
                    try transaction.execute(
                        "INSERT INTO visits (visit, used_at, check_at) VALUES ($1, $2, $3)", .integer(row.visit),
                        .integer(now.milliseconds), .integer(check))
                }
                for visit in used {
                    try transaction.execute(
                        "UPDATE visits SET used_at = $2 WHERE visit = $1", .integer(visit), .integer(now.milliseconds))
                }
            }
            clock.advance(by: .seconds(Int64(random.next() % 30)))
            let expired = lastUses.filter { $0.value < clock.now - Self.lifetime }.count
            lastUses = lastUses.filter { $0.value >= clock.now - Self.lifetime }
            #expect(try await sweeper.sweep(at: clock.now) == expired)
            let kept: [Int64] = try await database.read { [now = clock.now] transaction in
                let rows = try transaction.rows("SELECT visit, check_at FROM visits ORDER BY visit")
                return try rows.map { row in
                    #expect(try row.get("check_at") as Int64 >= now.milliseconds)
                    return try row.get("visit")
                }
            }
            #expect(kept == lastUses.keys.sorted())
        }
    }

    /// Counts the transactions of another database.
    private final class CountingDatabase: SQLDatabase {
        let database: SQLiteDatabase
        private let count = Mutex(0)
        var writes: Int { count.withLock(\.self) }

        init(_ database: SQLiteDatabase) { self.database = database }

        func write<Value: Sendable>(
            _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Value
        ) async throws -> Value {
            count.withLock { $0 += 1 }
            return try await database.write(body)
        }

        func read<Value: Sendable>(
            _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Value
        ) async throws -> Value {
            try await database.read(body)
        }

        func migrate(_ migrations: [SQLMigration]) async throws -> Int { try await database.migrate(migrations) }
        func close() async { await database.close() }
    }
}

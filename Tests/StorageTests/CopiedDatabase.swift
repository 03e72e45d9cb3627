import Postgres
import SQL
import SQLite
import Storage
import TestSupport

/// The engine of a database in these tests.
enum Engine: String, CaseIterable, Sendable {
    case memory, sqlite, postgres

    func open(in directory: TemporaryDirectory, named name: String) async throws -> any SQLDatabase {
        switch self {
        case .memory: try SQLiteDatabase(.memory)
        case .sqlite: try SQLiteDatabase(.file(directory.appending(name + ".sqlite")))
        case .postgres:
            try await PostgresDatabase(
                PostgresURL(await RunningPostgres.shared().makeDatabase()), schema: name, connections: 2,
                limits: .patient)
        }
    }
}

/// Tables of every form that services use: numbered by the engine, keys of several columns and kinds, references, and
/// nullable values.
enum Sample {
    static let migrations = [
        SQLMigration(
            1, "people",
            """
            CREATE TABLE people (
                realm TEXT NOT NULL, id BLOB NOT NULL, name TEXT, age INTEGER, picture BLOB, weight REAL,
                PRIMARY KEY (realm, id)
            );
            CREATE UNIQUE INDEX people_name ON people (name);
            """),
        SQLMigration(
            2, "what they do",
            """
            CREATE TABLE deeds (
                "order" INTEGER PRIMARY KEY, realm TEXT NOT NULL, person BLOB NOT NULL, what TEXT NOT NULL,
                FOREIGN KEY (realm, person) REFERENCES people (realm, id) ON DELETE CASCADE
            );
            CREATE TABLE kinds (kind TEXT PRIMARY KEY, note TEXT NOT NULL);
            INSERT INTO kinds (kind, note) VALUES ('good', 'as the migration wrote it'), ('bad', 'the same');
            """),
    ]

    /// - Parameter people: the number of rows; each has two related rows.
    static func fill(_ database: any SQLDatabase, people: Int, seed: UInt64) async throws {
        try await database.write { transaction in
            var random = SeededRandom(seed: seed)
            for _ in 0..<people {
                let id = random.bytes(Int.random(in: 0...20, using: &random)) + random.bytes(8)
                let realm = random.text(atMost: 3)
                try transaction.execute(
                    "INSERT INTO people (realm, id, name, age, picture, weight) VALUES ($1, $2, $3, $4, $5, $6)",
                    .text(realm), .blob(id),
                    SQLValue(random.perhaps { $0.text(atMost: 40) + $0.text(atMost: 8, of: 16) }),
                    SQLValue(random.perhaps { $0.integer() }),
                    SQLValue(random.perhaps { $0.bytes(Int.random(in: 0...2000, using: &$0)) }),
                    SQLValue(random.perhaps { Double.random(in: -1e300...1e300, using: &$0) }))
                for _ in 0..<2 {
                    try transaction.execute(
                        "INSERT INTO deeds (realm, person, what) VALUES ($1, $2, $3)", .text(realm), .blob(id),
                        .text(random.text(atMost: 20)))
                }
            }
            try transaction.execute("DELETE FROM deeds WHERE \"order\" % 3 = 0")
            try transaction.execute("DELETE FROM kinds WHERE kind = 'bad'")
            try transaction.execute("UPDATE kinds SET note = 'as somebody changed it'")
        }
    }

    /// Every row of every table, in the order of the keys.
    static func content(_ database: any SQLDatabase) async throws -> [String: [[SQLValue]]] {
        try await database.read { try content($0) }
    }

    static func content(_ transaction: borrowing SQLTransaction) throws -> [String: [[SQLValue]]] {
        [
            "people": try transaction.rows(
                "SELECT realm, id, name, age, picture, weight FROM people ORDER BY realm, id"
            ).map(\.values),
            "deeds": try transaction.rows("SELECT \"order\", realm, person, what FROM deeds ORDER BY \"order\"")
                .map(\.values),
            "kinds": try transaction.rows("SELECT kind, note FROM kinds ORDER BY kind").map(\.values),
        ]
    }

    /// Inserts one more row, and returns its number.
    static func nextDeed(_ database: any SQLDatabase) async throws -> Int64 {
        try await database.write { transaction in
            let row = try transaction.firstRow(
                """
                INSERT INTO deeds (realm, person, what) SELECT realm, id, 'one more' FROM people ORDER BY id LIMIT 1
                RETURNING "order"
                """)
            return try row?.get("order") ?? 0
        }
    }
}

extension SeededRandom {
    /// Text of ASCII, characters of two to four bytes, quotes, or nothing; without NUL, which PostgreSQL cannot store.
    fileprivate mutating func text(atMost limit: Int, of least: Int = 0) -> String {
        let alphabet = Array("abcXYZ019 '\"\\%_;$1\n\tßé中🔑\u{301}\u{1}")
        return String(
            (0..<max(least, Int.random(in: 0...limit, using: &self))).map { _ in
                alphabet.randomElement(using: &self) ?? "a"
            })
    }

    fileprivate mutating func integer() -> Int64 {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: .min
        case 1: .max
        case 2: Int64.random(in: -2...2, using: &self)
        default: Int64.random(in: .min ... .max, using: &self)
        }
    }

    fileprivate mutating func perhaps<Value>(_ value: (inout SeededRandom) -> Value) -> Value? {
        Bool.random(using: &self) ? value(&self) : nil
    }
}

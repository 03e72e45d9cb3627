import Postgres
import SQL
import SQLite
import TestSupport
import Testing

/// The engines that fulfill the contract of `SQLDatabase`.
enum Engine: CaseIterable, CustomTestStringConvertible {
    case memory, file, postgres

    var testDescription: String {
        switch self {
        case .memory: "SQLite in memory"
        case .file: "SQLite in a file"
        case .postgres: "PostgreSQL"
        }
    }

    /// The engines that several processes can share.
    static let shared: [Engine] = [.file, .postgres]
}

/// The location of one database, which can be opened more than once.
struct EngineLocation {
    let engine: Engine
    private let directory: TemporaryDirectory
    private let url: PostgresURL?

    init(_ engine: Engine) async throws {
        self.engine = engine
        directory = try TemporaryDirectory()
        url = engine == .postgres ? try PostgresURL(try await RunningPostgres.shared().makeDatabase()) : nil
    }

    /// - Parameters:
    ///   - connections: the reading connections; on PostgreSQL, all of them.
    ///   - queued: waiting jobs of each kind.
    func open(connections: Int = 4, queued: Int = 4096) async throws -> any SQLDatabase {
        Opened(database: try await engineDatabase(connections, queued), place: self)
    }

    private func engineDatabase(_ connections: Int, _ queued: Int) async throws -> any SQLDatabase {
        switch engine {
        case .memory: try SQLiteDatabase(.memory, queuedWrites: queued, queuedReads: queued)
        case .file:
            try SQLiteDatabase(
                .file(directory.appending("test.db")), readers: connections, queuedWrites: queued, queuedReads: queued)
        case .postgres:
            try await PostgresDatabase(
                #require(url), schema: "tests", connections: connections, queued: queued, limits: .patient)
        }
    }

    /// Opens it with the tables that most tests need.
    func openWithTables(connections: Int = 4) async throws -> any SQLDatabase {
        let database = try await open(connections: connections)
        try await database.migrate([SQLMigration(1, "tables", Self.tables)])
        return database
    }

    private static let tables = """
        CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE, parent INTEGER REFERENCES notes (id));
        CREATE TABLE kinds (
            id INTEGER PRIMARY KEY, i INTEGER, r REAL, t TEXT, b BLOB, must TEXT NOT NULL DEFAULT '',
            small INTEGER CHECK (small < 10)
        );
        CREATE TABLE pairs (a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (b, a));
        CREATE UNIQUE INDEX kinds_lower ON kinds (lower(t));
        """
}

/// A database that keeps its location: the last reference deletes the directory.
private struct Opened: SQLDatabase {
    let database: any SQLDatabase
    let place: EngineLocation

    func write<Value: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await database.write(body)
    }

    func read<Value: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await database.read(body)
    }

    func rows(_ query: SQLQuery) async throws -> [SQLRow] { try await database.rows(query) }

    func longRead<Value: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await database.longRead(body)
    }

    func migrate(_ migrations: [SQLMigration]) async throws -> Int { try await database.migrate(migrations) }

    func close() async { await database.close() }
}

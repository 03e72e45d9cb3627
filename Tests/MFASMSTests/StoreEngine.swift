import Postgres
import SQL
import SQLite
import TestSupport
import Testing

/// What the store can stand on. Its contract is the same on all.
enum StoreEngine: CaseIterable, CustomTestStringConvertible {
    case memory, file, postgres

    var testDescription: String {
        switch self {
        case .memory: "SQLite in memory"
        case .file: "SQLite in a file"
        case .postgres: "PostgreSQL"
        }
    }
}

/// A place for one database, empty at first, which can be opened more than once unless it is in memory.
struct StorePlace {
    private let engine: StoreEngine
    let directory: TemporaryDirectory
    private let url: PostgresURL?

    init(_ engine: StoreEngine) async throws {
        self.engine = engine
        directory = try TemporaryDirectory()
        url = engine == .postgres ? try PostgresURL(try await RunningPostgres.shared().makeDatabase()) : nil
    }

    func open() async throws -> any SQLDatabase {
        switch engine {
        case .memory: try SQLiteDatabase(.memory)
        case .file: try SQLiteDatabase(.file(directory.appending("mfa-sms.sqlite")))
        case .postgres: try await PostgresDatabase(#require(url), schema: "mfa_sms", connections: 4, limits: .patient)
        }
    }
}

import Postgres
import SQL
import TestSupport

/// A database on the server that all tests share.
func freshURL() async throws -> PostgresURL {
    try PostgresURL(try await RunningPostgres.shared().makeDatabase())
}

/// One table of numbers.
let numbers = [SQLMigration(1, "numbers", "CREATE TABLE numbers (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")]

/// Limits for tests that wait until they are reached: long enough for a busy machine to reply in time.
func shortLimits() -> PostgresDatabase.Limits {
    var limits = PostgresDatabase.Limits()
    limits.connectTimeout = .seconds(3)
    limits.statementTimeout = .seconds(3)
    limits.queueTimeout = .seconds(60)
    limits.reconnectCooldown = .milliseconds(50)
    return limits
}

/// The error of a body or a call.
func refusal(_ body: () async throws -> Void) async -> SQLError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SQLError ?? .other(code: "", message: "\(error)")
    }
}

extension SQLError {
    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}

extension SQLDatabase {
    func insert(_ id: Int, value: Int = 0) async throws {
        try await write {
            try $0.execute("INSERT INTO numbers (id, value) VALUES ($1, $2)", SQLValue(id), SQLValue(value))
        }
    }

    func ids() async throws -> [Int] {
        try await read { try $0.rows("SELECT id FROM numbers ORDER BY id").map { try $0.get("id") } }
    }
}

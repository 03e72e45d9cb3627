import Postgres
import SQL
import Synchronization
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

/// The results that writers received. Each stores pairs of rows under one commit.
final class Tally: Sendable {
    private let state = Mutex<(acknowledged: Set<Int>, isOver: Bool)>(([], false))

    /// The first id of each acknowledged pair.
    var acknowledged: Set<Int> { state.withLock { $0.acknowledged } }

    private var isOver: Bool { state.withLock { $0.isOver } }

    func finish() { state.withLock { $0.isOver = true } }

    /// Writes until `finish`.
    func write(in database: PostgresDatabase, from start: Int) async {
        var id = start
        while !isOver {
            let pair = [id, id + 1]
            let error = await refusal {
                try await database.write { transaction in
                    for id in pair {
                        try transaction.execute("INSERT INTO numbers (id, value) VALUES ($1, 0)", SQLValue(id))
                    }
                }
            }
            if error == nil {
                state.withLock { _ = $0.acknowledged.insert(pair[0]) }
            } else {
                // A pause between retries, as in a client; otherwise the failing writers take the processor from the
                // starting server.
                try? await Task.sleep(for: .milliseconds(5))
            }
            id += 2
        }
    }
}

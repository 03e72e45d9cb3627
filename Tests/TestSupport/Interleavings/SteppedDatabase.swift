package import SQL

/// A database that stops before each statement and commit of one method.
package struct SteppedDatabase: SQLDatabase {
    /// Where methods that run at the same time can meet.
    enum Grain {
        /// The engine lets transactions run beside each other.
        case statement
        /// The engine runs one writing transaction at a time, and a reading one sees one moment.
        case transaction
    }

    let database: any SQLDatabase
    let gate: StepGate
    let grain: Grain

    package func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        switch grain {
        case .transaction:
            await gate.stopTask(before: "write")
            return try await database.write(body)
        case .statement:
            return try await database.write { [gate] transaction in
                let result = try body(transaction.observed { SteppedSession($0, gate) })
                gate.stopThread(before: "COMMIT")
                return result
            }
        }
    }

    package func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        switch grain {
        case .transaction:
            await gate.stopTask(before: "read")
            return try await database.read(body)
        case .statement:
            return try await database.read { [gate] transaction in
                try body(transaction.observed { SteppedSession($0, gate) })
            }
        }
    }

    package func rows(_ query: SQLQuery) async throws -> [SQLRow] {
        try await read { transaction in try transaction.rows(query) }
    }

    package func migrate(_ migrations: [SQLMigration]) async throws -> Int { try await database.migrate(migrations) }

    package func close() async { await database.close() }
}

/// Stops before each statement.
private final class SteppedSession: SQLSession {
    private let session: any SQLSession
    private let gate: StepGate

    init(_ session: any SQLSession, _ gate: StepGate) {
        self.session = session
        self.gate = gate
    }

    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, readOnly: Bool
    ) throws(SQLError) -> [SQLRow] {
        gate.stopThread(before: sql)
        return try session.run(sql, parameters, limit: limit, readOnly: readOnly)
    }

    func run(script: String) throws(SQLError) {
        gate.stopThread(before: script)
        try session.run(script: script)
    }

    func require(epoch: Int64) throws(SQLError) { try session.require(epoch: epoch) }

    var isInTransaction: Bool { session.isInTransaction }
    var changes: Int { session.changes }
    var catalog: any SQLCatalog { session.catalog }
}

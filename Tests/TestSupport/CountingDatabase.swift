package import SQL
import Synchronization

/// A database that keeps the statements of its transactions, for tests of what an operation costs. Statements of the engine, such as
/// `BEGIN`, do not count.
package struct CountingDatabase: SQLDatabase {
    /// The statements, in the order in which they ran.
    package final class Statements: Sendable {
        private let texts = Mutex<[String]>([])
        private let intervention = Mutex<Intervention?>(nil)

        private struct Intervention {
            var transactionsBefore: Int
            var body: @Sendable () async throws -> Void
        }

        package init() {}

        /// Once, after this number of transactions, the body runs before the next one. Its own transactions do not count.
        package func intervene(after transactions: Int, _ body: @Sendable @escaping () async throws -> Void) {
            intervention.withLock { $0 = Intervention(transactionsBefore: transactions, body: body) }
        }

        /// Whether the body has not run. It will not from now on.
        package func endIntervention() -> Bool {
            intervention.withLock { intervention in
                defer { intervention = nil }
                return intervention != nil
            }
        }

        fileprivate func interveneIfDue() async throws {
            let due = intervention.withLock { intervention -> Intervention? in
                guard let next = intervention else { return nil }
                intervention = next.transactionsBefore == 0 ? nil : next
                intervention?.transactionsBefore -= 1
                return next.transactionsBefore == 0 ? next : nil
            }
            try await due?.body()
        }

        fileprivate func append(_ text: String) { texts.withLock { $0.append(text) } }

        /// Those since the last call.
        package func take() -> [String] {
            texts.withLock { texts in
                defer { texts = [] }
                return texts
            }
        }
    }

    private let database: any SQLDatabase
    private let statements: Statements

    package init(_ database: any SQLDatabase, _ statements: Statements) {
        self.database = database
        self.statements = statements
    }

    package func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await statements.interveneIfDue()
        return try await database.write { [statements] transaction in
            try body(transaction.observed { CountingSession($0, statements) })
        }
    }

    package func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await statements.interveneIfDue()
        return try await database.read { [statements] transaction in
            try body(transaction.observed { CountingSession($0, statements) })
        }
    }

    package func rows(_ query: SQLQuery) async throws -> [SQLRow] {
        try await read { transaction in try transaction.rows(query) }
    }

    package func migrate(_ migrations: [SQLMigration]) async throws -> Int { try await database.migrate(migrations) }

    package func close() async { await database.close() }
}

private final class CountingSession: SQLSession {
    private let session: any SQLSession
    private let statements: CountingDatabase.Statements

    init(_ session: any SQLSession, _ statements: CountingDatabase.Statements) {
        self.session = session
        self.statements = statements
    }

    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, readOnly: Bool
    ) throws(SQLError) -> [SQLRow] {
        statements.append(sql)
        return try session.run(sql, parameters, limit: limit, readOnly: readOnly)
    }

    func run(script: String) throws(SQLError) { try session.run(script: script) }

    func require(epoch: Int64) throws(SQLError) { try session.require(epoch: epoch) }

    var isInTransaction: Bool { session.isInTransaction }
    var changes: Int { session.changes }
    var catalog: any SQLCatalog { session.catalog }
}

package import SQL
import Synchronization
package import Vocabulary

/// A database whose rows a process caches in memory: signing keys, configuration, verified tokens. After the restore of
/// a backup these caches are invalid and must not be used. So each transaction first compares the epoch with the one in
/// which this process began. After a restore none of its transactions has an effect, however late the process detects
/// it. `DatabaseMonitor` then ends the process, and it restarts.
package final class FencedDatabase: SQLDatabase {
    private let engine: any SQLDatabase
    /// Nil until `migrate`: before that no row can be cached.
    private let epoch = Mutex<Int64?>(nil)
    /// The schema versions before and after `migrate`; nil until then.
    private let schema = Mutex<(former: Int, known: Int)?>(nil)
    private let replacement = AsyncStream.makeStream(of: Never.self)

    package init(_ engine: any SQLDatabase) {
        self.engine = engine
    }

    package func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await detectingReplacement { try await engine.write(fenced(body)) }
    }

    package func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await detectingReplacement { try await engine.read(fenced(body)) }
    }

    package func rows(_ query: SQLQuery) async throws -> [SQLRow] {
        var query = query
        query.epoch = epoch.withLock(\.self)
        let fenced = query
        return try await detectingReplacement { try await engine.rows(fenced) }
    }

    package func longRead<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await detectingReplacement { try await engine.longRead(fenced(body)) }
    }

    /// The body after the comparison of the epochs.
    private func fenced<Result>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) -> @Sendable (borrowing SQLTransaction) throws -> Result {
        let epoch = epoch.withLock(\.self)
        return { transaction in
            if let epoch { try transaction.require(epoch: epoch) }
            return try body(transaction)
        }
    }

    @discardableResult
    package func migrate(_ migrations: [SQLMigration]) async throws -> Int {
        let former = try await engine.migrate(migrations)
        let current = try await engine.read { transaction in try transaction.epoch() }
        epoch.withLock { epoch in
            // A second migration keeps the epoch of the first.
            if epoch == nil { epoch = current }
        }
        schema.withLock { $0 = ($0?.former ?? former, migrations.count) }
        return former
    }

    /// The schema versions before and after the migrations of this process; nil if it applied none to existing tables.
    var migration: (former: Int, known: Int)? {
        schema.withLock { schema in schema.flatMap { $0.former > 0 && $0.former < $0.known ? $0 : nil } }
    }

    /// Compares the schema with the one that this program knows.
    /// - Throws: `SQLError.schemaNewer` if another process has migrated further; as `read`.
    func checkSchema() async throws {
        guard let known = schema.withLock({ $0?.known }) else { return }
        let found = try await read { transaction in try transaction.schemaVersion() }
        guard found <= known else { throw SQLError.schemaNewer(found: found, known: known) }
    }

    /// Commits a small change to check whether the database accepts writes.
    /// - Throws: `SQLError`, as `write`.
    package func probe(at now: Moment) async throws {
        try await write { transaction in try transaction.probe(now.milliseconds) }
    }

    package func keepNote(_ note: [UInt8]) async throws { try await engine.keepNote(note) }

    package func note() async throws -> [UInt8]? { try await engine.note() }

    package func close() async {
        replacement.continuation.finish()
        await engine.close()
    }

    /// Returns when this process has detected that the rows were replaced, or the database was closed. For one caller.
    package func waitUntilReplaced() async {
        for await _ in replacement.stream {}
    }

    private func detectingReplacement<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch SQLError.replaced {
            replacement.continuation.finish()
            throw SQLError.replaced
        }
    }
}

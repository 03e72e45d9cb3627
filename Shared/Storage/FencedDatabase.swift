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
    private struct Schema {
        /// The versions before and after `migrate`.
        var former: Int
        var current: Int
        var process: SchemaProcess
        /// Whether the last probe failed.
        var isOut = false
    }

    /// Nil until `migrate`.
    private let schema = Mutex<Schema?>(nil)
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
        let process = schema.withLock { $0?.process } ?? SchemaProcess(version: migrations.count)
        let version = try await engine.write { transaction in
            try transaction.register(process)
            return try transaction.schemaVersion()
        }
        schema.withLock { $0 = Schema(former: $0?.former ?? former, current: version, process: process) }
        return former
    }

    /// The schema versions before and after the migrations of this process; nil if it applied none to existing tables.
    var migration: (former: Int, current: Int)? {
        schema.withLock { schema in
            schema.flatMap { $0.former > 0 && $0.former < $0.current ? ($0.former, $0.current) : nil }
        }
    }

    /// Asks whether this program may serve the schema.
    /// - Throws: `SQLError.schemaNewer` if another process has migrated further, and this program is too old for that; as
    ///   `read`.
    func checkSchema() async throws {
        guard let process = schema.withLock({ $0?.process }) else { return }
        try await read { transaction in try transaction.requireCompatibility(with: process.version) }
    }

    /// Commits a small change to check whether the database accepts writes. It also records that this process runs.
    /// - Throws: `SQLError`, as `write`.
    package func probe(at now: Moment) async throws {
        let process = schema.withLock { $0?.process }
        do {
            try await write { transaction in
                if let process {
                    try transaction.renew(process)
                } else {
                    try transaction.probe(now.milliseconds)
                }
            }
        } catch {
            schema.withLock { $0?.isOut = true }
            throw error
        }
        schema.withLock { $0?.isOut = false }
    }

    /// Records that this process ends, so that a contraction need not wait for its silence. During an outage of the database it
    /// does nothing, because the end of a process does not wait for that.
    package func leave() async {
        guard let schema = schema.withLock(\.self), !schema.isOut else { return }
        // `try?`: the process ends in any case.
        try? await write { transaction in try transaction.remove(schema.process) }
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

package import SQL
internal import Synchronization
package import Vocabulary

/// A database that a process keeps things in memory of: signing keys, configuration, tokens found good. When a backup
/// is restored under it, all of that is void, and acting on it once would be wrong. So each transaction begins by
/// comparing the epoch with the one this process began in; from the restore on, none of its transactions does anything
/// any more, however late it notices, and `RestoreMonitor` lets the process end and start anew.
package final class FencedDatabase: SQLDatabase {
    private let engine: any SQLDatabase
    /// Nil until `migrate`: before that nothing can have been read and kept.
    private let epoch = Mutex<Int64?>(nil)
    private let replacement = AsyncStream.makeStream(of: Never.self)

    package init(_ engine: any SQLDatabase) {
        self.engine = engine
    }

    package func write<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        let epoch = epoch.withLock(\.self)
        return try await detectingReplacement {
            try await engine.write { transaction in
                try Self.check(transaction, is: epoch)
                return try body(transaction)
            }
        }
    }

    package func read<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        let epoch = epoch.withLock(\.self)
        return try await detectingReplacement {
            try await engine.read { transaction in
                try Self.check(transaction, is: epoch)
                return try body(transaction)
            }
        }
    }

    package func longRead<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        let epoch = epoch.withLock(\.self)
        return try await detectingReplacement {
            try await engine.longRead { transaction in
                try Self.check(transaction, is: epoch)
                return try body(transaction)
            }
        }
    }

    package func migrate(_ migrations: [SQLMigration]) async throws {
        try await engine.migrate(migrations)
        let current = try await engine.read { transaction in try transaction.epoch() }
        epoch.withLock { epoch in
            // Whoever migrates twice stays in the epoch it began in.
            if epoch == nil { epoch = current }
        }
    }

    /// Commits something small, to see whether the database takes writes.
    /// - Throws: `SQLError`, as `write`.
    package func probe(at now: Moment) async throws {
        try await write { transaction in try transaction.probe(now.milliseconds) }
    }

    package func close() async {
        replacement.continuation.finish()
        await engine.close()
    }

    /// Returns when this process found out that the rows were replaced, or the database was closed. For one caller.
    package func waitUntilReplaced() async {
        for await _ in replacement.stream {}
    }

    private static func check(_ transaction: borrowing SQLTransaction, is expected: Int64?) throws {
        guard let expected else { return }
        guard try transaction.epoch() == expected else { throw SQLError.replaced }
    }

    private func detectingReplacement<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        do {
            return try await body()
        } catch SQLError.replaced {
            replacement.continuation.finish()
            throw SQLError.replaced
        }
    }
}

package import SQL

/// One schema takes the place of another, for a restore.
extension PostgresDatabase {
    /// How often the replacement is tried while other transactions hold their locks.
    private static let replacementAttempts = 60

    /// Removes a schema with all its tables, if it exists.
    package func dropSchema(_ name: String) async throws {
        let quoted = PostgresSettings.quoted(name)
        try await write { try $0.execute("DROP SCHEMA IF EXISTS \(quoted) CASCADE") }
    }

    /// Lets a schema take the name of this one, which is removed.
    ///
    /// Every transaction of a service reads the epoch first, and holds its lock on that table until it ends. So while this
    /// transaction holds the table alone, none of them is between two statements: it has ended before, or it reads the epoch
    /// of the new schema afterwards.
    /// - Parameters:
    ///   - name: of the schema with the new content, complete.
    ///   - check: runs under the lock, on the old tables; throws to leave them as they are.
    /// - Throws: the error of `check`; `SQLError.busy` if other transactions do not end.
    package func replaceSchema(
        by name: String, _ check: @Sendable @escaping (borrowing SQLTransaction) throws -> Void
    ) async throws {
        let former = schemaName + "_former"
        try await dropSchema(former)
        let current = PostgresSettings.quoted(schemaName)
        let (new, old) = (PostgresSettings.quoted(name), PostgresSettings.quoted(former))
        // A schema that was never migrated has none of them.
        let locks = try await read { transaction in
            try transaction.tables().map(\.name).filter {
                [SQLTransaction.epochTable, SQLTransaction.migrationsTable].contains($0)
            }
        }
        for attempt in 1... {
            do {
                try await write { transaction in
                    // A longer wait would make all transactions wait that begin meanwhile.
                    try transaction.execute("SET LOCAL lock_timeout = 1000")
                    // Neither command takes a snapshot, so the check sees what others committed before they let go.
                    for table in locks { try transaction.execute("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE") }
                    try check(transaction)
                    try transaction.execute("ALTER SCHEMA \(current) RENAME TO \(old)")
                    try transaction.execute("ALTER SCHEMA \(new) RENAME TO \(current)")
                }
                break
            } catch SQLError.busy where attempt < Self.replacementAttempts {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        try await dropSchema(former)
    }
}

/// One step of a schema. Append-only: a released one is never edited, because databases exist that were made with it.
package struct SQLiteMigration: Equatable, Sendable {
    /// 1 for the first, one more for each that follows.
    package let version: Int
    /// A few words on what it does.
    package let name: String
    /// Any number of statements. They run in one transaction.
    package let sql: String

    package init(_ version: Int, _ name: String, _ sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}

extension SQLiteDatabase {
    /// How often a starter tries again while another process migrates; each try waits as long as SQLite waits.
    private static let attempts = 12

    /// Brings the schema to the last of `migrations`, in one transaction: all that are missing, or none.
    ///
    /// Of several starters one migrates; the others wait, and find nothing left to do. What was applied is kept as text in
    /// the table `schema_migrations`, to notice when history is edited.
    /// - Throws: `SQLiteError.schemaNewer`, `migrationChanged`, or what a statement refused.
    package func migrate(_ migrations: [SQLiteMigration]) async throws {
        precondition(migrations.map(\.version) == Array(1..<migrations.count + 1), "versions are 1, 2, 3, ...")
        for attempt in 1... {
            do {
                return try await write { transaction in
                    try transaction.run(script: Self.historySchema)
                    let applied = try Self.history(transaction)
                    try Self.check(applied, against: migrations)
                    for migration in migrations.dropFirst(applied.count) { try Self.apply(migration, transaction) }
                }
            } catch SQLiteError.busy where attempt < Self.attempts {
                continue
            }
        }
    }

    /// Strict, so that a version is a number whatever wrote it.
    private static let historySchema = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            version INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL, applied_at INTEGER NOT NULL
        ) STRICT
        """

    private static func history(_ transaction: borrowing SQLiteTransaction) throws(SQLiteError) -> [SQLiteMigration] {
        var applied: [SQLiteMigration] = []
        for row in try transaction.rows("SELECT version, name, sql FROM schema_migrations ORDER BY version") {
            applied.append(SQLiteMigration(try row.get("version"), try row.get("name"), try row.get("sql")))
        }
        return applied
    }

    private static func check(
        _ applied: [SQLiteMigration], against known: [SQLiteMigration]
    ) throws(SQLiteError) {
        if let last = applied.last?.version, last > known.count { throw .schemaNewer(found: last, known: known.count) }
        for (applied, known) in zip(applied, known) where applied.version != known.version || applied.sql != known.sql {
            throw .migrationChanged(version: known.version, name: known.name)
        }
    }

    private static func apply(
        _ migration: SQLiteMigration, _ transaction: borrowing SQLiteTransaction
    ) throws(SQLiteError) {
        try transaction.run(script: migration.sql)
        try transaction.execute(
            "INSERT INTO schema_migrations (version, name, sql, applied_at) VALUES ($1, $2, $3, unixepoch())",
            .integer(Int64(migration.version)), .text(migration.name), .text(migration.sql))
    }
}

import Glibc

/// One step of a schema. Append-only: a released one is never edited, because databases were created with it.
package struct SQLMigration: Equatable, Sendable {
    /// 1 for the first; each further one is one higher.
    package let version: Int
    /// A short description.
    package let name: String
    /// Any number of statements. They run in one transaction.
    package let sql: String

    package init(_ version: Int, _ name: String, _ sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}

extension SQLTransaction {
    /// The table of the applied migrations.
    package static let migrationsTable = "schema_migrations"

    /// Applies the missing migrations, for an engine's `migrate`. The text of applied migrations is stored in the table
    /// `schema_migrations`, to detect an edited migration.
    /// - Returns: the version before; 0 for a new schema.
    @discardableResult
    package func apply(_ migrations: [SQLMigration]) throws(SQLError) -> Int {
        precondition(migrations.map(\.version) == Array(1..<migrations.count + 1), "versions are 1, 2, 3, ...")
        try run(
            script: """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    version INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL, applied_at INTEGER NOT NULL
                )
                """)
        try ensureEpoch()
        try ensureProbe()
        try ensureClock()
        let applied = try appliedMigrations()
        if let last = applied.last?.version, last > migrations.count {
            throw .schemaNewer(found: last, known: migrations.count)
        }
        for (applied, known) in zip(applied, migrations)
        where applied.version != known.version || applied.sql != known.sql {
            throw .migrationChanged(version: known.version, name: known.name)
        }
        for migration in migrations.dropFirst(applied.count) {
            try run(script: migration.sql)
            try execute(
                "INSERT INTO schema_migrations (version, name, sql, applied_at) VALUES ($1, $2, $3, $4)",
                .integer(Int64(migration.version)), .text(migration.name), .text(migration.sql),
                .integer(Int64(time(nil))))
        }
        return applied.count
    }

    /// The version of a migrated schema.
    package func schemaVersion() throws(SQLError) -> Int {
        try firstRow("SELECT MAX(version) AS version FROM schema_migrations")?.getIfPresent("version") ?? 0
    }

    /// The applied migrations, oldest first.
    package func appliedMigrations() throws(SQLError) -> [SQLMigration] {
        var applied: [SQLMigration] = []
        for row in try rows("SELECT version, name, sql FROM schema_migrations ORDER BY version") {
            applied.append(SQLMigration(try row.get("version"), try row.get("name"), try row.get("sql")))
        }
        return applied
    }
}

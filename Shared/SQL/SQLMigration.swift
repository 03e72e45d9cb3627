import Glibc

/// One step of a schema. Append-only: a released one is never edited, because databases were created with it.
///
/// It is an expansion unless it is declared as a contraction. Programs that do not know an expansion serve the schema
/// with it: it adds tables, indexes that are not unique, and columns that are null or have a default.
package struct SQLMigration: Equatable, Sendable {
    /// 1 for the first; each further one is one higher.
    package let version: Int
    /// A short description.
    package let name: String
    /// Any number of statements. They run in one transaction.
    package let sql: String
    /// Nil for an expansion. For a contraction: the lowest number of migrations that a program knows which can serve the
    /// schema without what it removes.
    package let compatibleSince: Int?
    /// Whether it is a contraction that waits until an operator asks for it, or a later release needs it.
    let mayWait: Bool

    package init(_ version: Int, _ name: String, _ sql: String) {
        self.init(version, name, sql, compatibleSince: nil, mayWait: false)
    }

    private init(_ version: Int, _ name: String, _ sql: String, compatibleSince: Int?, mayWait: Bool) {
        self.version = version
        self.name = name
        self.sql = sql
        self.compatibleSince = compatibleSince
        self.mayWait = mayWait
    }

    /// A migration that removes, renames or restricts something that programs of earlier releases use.
    /// - Parameter compatibleSince: the lowest number of migrations that a program knows which does not use it.
    package static func contraction(
        _ version: Int, _ name: String, compatibleSince: Int, _ sql: String
    ) -> SQLMigration {
        precondition((1...version).contains(compatibleSince), "a program that knows the contraction can serve it")
        return SQLMigration(version, name, sql, compatibleSince: compatibleSince, mayWait: true)
    }

    /// The same migration, which does not wait: for `latchkey migrate --contract`.
    package var withoutWaiting: SQLMigration {
        SQLMigration(version, name, sql, compatibleSince: compatibleSince, mayWait: false)
    }
}

extension SQLTransaction {
    /// The table of the applied migrations.
    package static let migrationsTable = "schema_migrations"

    /// Applies the missing migrations, for an engine's `migrate`. The text of applied migrations is stored in the table
    /// `schema_migrations`, to detect an edited migration. Contractions at the end of the list wait, except in a new
    /// database. See `SchemaPlan`.
    /// - Parameter limit: the most that are applied to a database that is in use. A new one gets all at once.
    /// - Returns: the version before, 0 for a new schema, and whether none is missing now.
    @discardableResult
    package func apply(
        _ migrations: [SQLMigration], atMost limit: Int = .max
    ) throws(SQLError) -> (former: Int, isComplete: Bool) {
        try run(
            script: """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    version INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL, applied_at INTEGER NOT NULL
                )
                """)
        try ensureEpoch()
        try ensureProbe()
        try ensureClock()
        try ensureSchemaWindow()
        let state = try SchemaState(of: self, tables: Self.bookkeepingTables)
        let plan = try SchemaPlan(migrations, in: state)
        let steps = plan.found == 0 ? plan.steps[...] : plan.steps.prefix(limit)
        for migration in steps {
            try run(script: migration.sql)
            try execute(
                "INSERT INTO schema_migrations (version, name, sql, applied_at) VALUES ($1, $2, $3, $4)",
                .integer(Int64(migration.version)), .text(migration.name), .text(migration.sql),
                .integer(Int64(time(nil))))
        }
        let needed = steps.compactMap(\.compatibleSince).max() ?? 0
        if state.compatibleSince.map({ needed > $0 }) ?? true { try setCompatibleSince(needed) }
        return (plan.found, steps.count == plan.steps.count)
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

    /// The tables of this module: each database has them beside those of its service, and they are never copied.
    package static let bookkeepingTables: Set<String> = [
        migrationsTable, epochTable, probeTable, clockTable, schemaWindowTable, schemaProcessesTable,
    ]
}

/// What a database records about its schema.
package struct SchemaState: Equatable, Sendable {
    /// Versions 1, 2, 3, ...; empty for a new database.
    package var applied: [SQLMigration]
    /// See `SQLMigration.compatibleSince`; nil if no program has recorded it.
    package var compatibleSince: Int?
    /// The number of running processes by the number of migrations that they know; 0 for releases that did not record it.
    package var processes: [Int: Int]

    package init(applied: [SQLMigration], compatibleSince: Int?, processes: [Int: Int] = [:]) {
        self.applied = applied
        self.compatibleSince = compatibleSince
        self.processes = processes
    }

    /// Reads it, and changes nothing.
    package init(of database: borrowing SQLTransaction) throws(SQLError) {
        try self.init(of: database, tables: Set(database.tables().map(\.name)))
    }

    /// - Parameter tables: those that exist.
    init(of database: borrowing SQLTransaction, tables: Set<String>) throws(SQLError) {
        applied = tables.contains(SQLTransaction.migrationsTable) ? try database.appliedMigrations() : []
        compatibleSince = tables.contains(SQLTransaction.schemaWindowTable) ? try database.compatibleSince() : nil
        processes = try database.runningProcesses(tables: tables)
    }
}

/// What the start of a program does to a schema: decided here for the start itself and for an operator who asks before.
///
/// Expansions run at the start, while processes of earlier releases serve the database. A contraction at the end of the list
/// waits for an operator, because those processes use what it removes. A contraction with an expansion behind it belongs to
/// an earlier release: the start runs it, once no process needs what it removes.
package struct SchemaPlan: Equatable, Sendable {
    /// The version before; 0 for a new schema.
    package let found: Int
    /// The number of migrations that the program knows.
    package let known: Int
    /// The migrations that run, in their order.
    package let steps: [SQLMigration]
    /// The contractions that wait until an operator asks for them.
    package let waiting: [SQLMigration]

    /// - Throws: `SQLError.schemaNewer`, `migrationChanged`, or `migrationWaits` while running processes need what a
    ///   contraction removes.
    package init(_ migrations: [SQLMigration], in state: SchemaState) throws(SQLError) {
        precondition(migrations.map(\.version) == Array(1..<migrations.count + 1), "versions are 1, 2, 3, ...")
        found = state.applied.count
        known = migrations.count
        if let last = state.applied.last?.version, last > known {
            let needs = state.compatibleSince ?? last
            guard needs <= known else { throw .schemaNewer(found: last, needs: needs, known: known) }
        }
        for (applied, known) in zip(state.applied, migrations)
        where applied.version != known.version || applied.sql != known.sql {
            throw .migrationChanged(version: known.version, name: known.name)
        }
        let missing = migrations.dropFirst(found)
        let waiting = found == 0 ? [] : missing.reversed().prefix { $0.mayWait }
        steps = Array(missing.dropLast(waiting.count))
        self.waiting = waiting.reversed()
        guard found > 0 else { return }
        for step in steps {
            guard let needed = step.compatibleSince else { continue }
            let older = state.processes.filter { $0.key < needed }.values.reduce(0, +)
            guard older == 0 else {
                throw .migrationWaits(.forPrograms(version: step.version, name: step.name, processes: older))
            }
        }
    }
}

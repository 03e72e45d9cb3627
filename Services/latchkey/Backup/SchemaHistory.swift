import Contracts
import SQL

/// The migrations of a database, as it records them itself.
struct SchemaHistory: Equatable, Sendable {
    /// Versions 1, 2, 3, ...; at least one.
    let migrations: [SQLMigration]

    var version: Int { migrations.count }

    /// - Parameter tables: of the database.
    /// - Returns: nil for a database that was never migrated.
    /// - Throws: `SQLError.damaged` if its history has gaps.
    init?(of database: borrowing SQLTransaction, tables: [SQLTable]) throws(SQLError) {
        guard tables.contains(where: { $0.name == SQLTransaction.migrationsTable }) else { return nil }
        let migrations = try database.appliedMigrations()
        guard !migrations.isEmpty else { return nil }
        guard migrations.map(\.version) == Array(1...migrations.count) else {
            throw .damaged(path: "\(SQLTransaction.migrationsTable)")
        }
        self.migrations = migrations
    }

    /// Why a backup cannot be restored into a database with this history; nil if it can.
    func incompatibility(with backup: SchemaHistory, of service: ServiceName) -> BackupError? {
        for (mine, other) in zip(migrations, backup.migrations) where mine.sql != other.sql {
            return .migrationMismatch(service, version: mine.version)
        }
        guard backup.version <= version else {
            return .schemaNewer(service, backup: backup.version, known: version)
        }
        return nil
    }
}

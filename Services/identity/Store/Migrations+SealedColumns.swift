import MasterKey
import SQL

extension IdentityMigrations {
    static let sealedColumns = SQLMigration(3, "declared sealed columns, secrets of the service", SealedRecords.tables)
}

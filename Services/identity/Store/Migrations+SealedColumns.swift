import MasterKey
import SQL

extension IdentityMigrations {
    static let sealedColumns = SQLMigration(3, "declared sealed columns, secrets of the service", SealedRecords.tables)

    static let ringInquiries = SQLMigration(10, "inquiries about master keys", SealedRecords.inquiryTables)
}

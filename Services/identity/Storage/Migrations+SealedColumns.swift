import MasterKey
import SQL

extension IdentityMigrations {
    static let sealedColumns = SQLMigration(3, "declared sealed columns, secrets of the service", SealedRecords.tables)

    static let ringInquiries = SQLMigration(10, "inquiries about master keys", SealedRecords.inquiryTables)
}

extension IdentityMigrations {
    /// What stood in configurations in the clear moves here when the store opens: only a program can seal.
    static let sealedSMTPPasswords = SQLMigration(
        13, "sealed SMTP passwords of projects", "ALTER TABLE projects ADD COLUMN sealed_smtp_password BLOB")
}

import MasterKey
import SQL

extension IdentityMigrations {
    static let sealedColumns = SQLMigration(3, "declared sealed columns, secrets of the service", SealedRecords.tables)

    static let ringInquiries = SQLMigration(10, "inquiries about master keys", SealedRecords.inquiryTables)

    static let ringAnnouncements = SQLMigration(31, "announced master keys", SealedRecords.announcementTable)
}

extension IdentityMigrations {
    /// Plain-text passwords of configurations move here when the store opens: SQL alone cannot seal.
    static let sealedSMTPPasswords = SQLMigration(
        13, "sealed SMTP passwords of projects", "ALTER TABLE projects ADD COLUMN sealed_smtp_password BLOB")
}

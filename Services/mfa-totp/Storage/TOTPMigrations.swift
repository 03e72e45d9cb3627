import MasterKey
import SQL

/// The tables of mfa-totp, oldest first. Append; never edit one that was released.
///
/// Every row carries project and tenant; a project's own users have the empty tenant. Times are Unix milliseconds.
enum TOTPMigrations {
    static let all = [
        SQLMigration(
            1, "enrollments, factors",
            """
            CREATE TABLE enrollments (
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                account_id TEXT NOT NULL,
                factor_id TEXT NOT NULL,
                session_digest BLOB NOT NULL UNIQUE,
                created_at INTEGER NOT NULL,
                tries INTEGER NOT NULL,
                state TEXT NOT NULL,
                sealed_secret BLOB,
                PRIMARY KEY (project, tenant, account_id, factor_id)
            );
            CREATE INDEX enrollments_created_at ON enrollments (created_at);
            CREATE TABLE factors (
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                account_id TEXT NOT NULL,
                factor_id TEXT NOT NULL,
                sealed_secret BLOB NOT NULL,
                last_step INTEGER NOT NULL,
                accepted_at INTEGER NOT NULL,
                failure_times TEXT NOT NULL,
                failures_in_a_row INTEGER NOT NULL,
                missing_since INTEGER,
                PRIMARY KEY (project, tenant, account_id, factor_id)
            );
            """),
        SQLMigration(2, "declared sealed columns, secrets of the service", SealedRecords.tables),
        SQLMigration(3, "inquiries about master keys", SealedRecords.inquiryTables),
        SQLMigration(
            4, "which request proved an enrollment",
            """
            ALTER TABLE enrollments ADD COLUMN request_digest BLOB;
            ALTER TABLE enrollments ADD COLUMN leased_until INTEGER;
            """),
        SQLMigration(
            5, "since when a factor is unlisted",
            "ALTER TABLE factors RENAME COLUMN missing_since TO unlisted_since;"),
        SQLMigration(6, "announced master keys", SealedRecords.announcementTable),
    ]
}

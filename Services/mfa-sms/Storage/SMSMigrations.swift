import MasterKey
import SQL

/// The tables of mfa-sms, oldest first. Append; never edit one that was released.
///
/// Every row has project and tenant. The tenant is empty for a project's own users; the ids are empty for a session
/// without account or factor. Times are Unix milliseconds.
enum SMSMigrations {
    static let all = [
        SQLMigration(
            1, "verification sessions, failed guesses, declared sealed columns, secrets of the service",
            """
            CREATE TABLE verification_sessions (
                session_digest BLOB PRIMARY KEY,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                purpose TEXT NOT NULL,
                number_digest BLOB NOT NULL,
                sealed_number BLOB NOT NULL,
                account_id TEXT NOT NULL,
                factor_id TEXT NOT NULL,
                is_test INTEGER NOT NULL,
                code_digest BLOB NOT NULL,
                sealed_dev_code BLOB,
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                failures INTEGER NOT NULL,
                proof_digest BLOB,
                leased_until INTEGER
            );
            CREATE INDEX verification_sessions_number ON verification_sessions (project, tenant, number_digest);
            CREATE INDEX verification_sessions_created_at ON verification_sessions (project, tenant, created_at);
            CREATE INDEX verification_sessions_expires_at ON verification_sessions (expires_at);
            CREATE TABLE failed_guesses (
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                scope_digest BLOB NOT NULL,
                failures INTEGER NOT NULL,
                locked_until INTEGER,
                failed_at INTEGER NOT NULL,
                PRIMARY KEY (project, tenant, scope_digest)
            );
            CREATE INDEX failed_guesses_failed_at ON failed_guesses (failed_at);

            """ + SealedRecords.tables),
        SendingMigrations.counts,
        AppVerificationMigrations.tables,
        SQLMigration(4, "inquiries about master keys", SealedRecords.inquiryTables),
        SendingMigrations.prefixColumns,
        SQLMigration(
            6, "sessions of an account",
            "CREATE INDEX verification_sessions_account ON verification_sessions (project, tenant, account_id);"),
        SQLMigration(7, "announced master keys", SealedRecords.announcementTable),
    ]
}

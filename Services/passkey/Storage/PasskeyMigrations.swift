import MasterKey
import SQL

/// The tables of the passkey service, oldest first. Append; never edit one that was released.
///
/// Every row carries project and tenant; a project's own users have the empty tenant. Times are Unix milliseconds.
enum PasskeyMigrations {
    static let all = [
        SQLMigration(
            1, "ceremonies, credentials",
            """
            CREATE TABLE ceremonies (
                challenge_digest BLOB NOT NULL PRIMARY KEY,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                purpose TEXT NOT NULL,
                account_id TEXT,
                user_verification TEXT NOT NULL,
                is_conditional INTEGER NOT NULL,
                created_at INTEGER NOT NULL
            );
            CREATE INDEX ceremonies_created_at ON ceremonies (created_at);
            CREATE INDEX ceremonies_account ON ceremonies (project, tenant, account_id);
            CREATE TABLE credentials (
                project TEXT NOT NULL,
                credential_id BLOB NOT NULL,
                tenant TEXT NOT NULL,
                account_id TEXT NOT NULL,
                relying_party_id TEXT NOT NULL,
                user_handle BLOB NOT NULL,
                public_key BLOB NOT NULL,
                algorithm INTEGER NOT NULL,
                sign_count INTEGER NOT NULL,
                backup_eligible INTEGER NOT NULL,
                backed_up INTEGER NOT NULL,
                user_verified INTEGER NOT NULL,
                aaguid TEXT NOT NULL,
                attestation_format TEXT NOT NULL,
                attestation_type TEXT NOT NULL,
                transports TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                last_used_at INTEGER,
                unlisted_since INTEGER,
                PRIMARY KEY (project, credential_id)
            );
            """),
        SQLMigration(2, "declared sealed columns, secrets of the service", SealedRecords.tables),
        SQLMigration(3, "inquiries about master keys", SealedRecords.inquiryTables),
        SQLMigration(
            4, "credentials of an account, requests that have redeemed their challenges",
            """
            CREATE INDEX credentials_account ON credentials (project, tenant, account_id);
            ALTER TABLE ceremonies ADD COLUMN request_digest BLOB;
            ALTER TABLE ceremonies ADD COLUMN credential_id BLOB;
            """),
        SQLMigration(
            5, "trust in attestations",
            "ALTER TABLE credentials ADD COLUMN attestation_trusted INTEGER NOT NULL DEFAULT 0;"),
        SQLMigration(6, "announced master keys", SealedRecords.announcementTable),
    ]
}

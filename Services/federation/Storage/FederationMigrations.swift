import MasterKey
import SQL

/// The tables of federation, oldest first. Append; never edit one that was released.
///
/// A project's own users have the empty tenant. Times are Unix milliseconds.
enum FederationMigrations {
    static let all = [
        SQLMigration(
            1, "providers, sign-in attempts, used credentials",
            """
            CREATE TABLE providers (
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                provider_id TEXT NOT NULL,
                list TEXT NOT NULL,
                document TEXT NOT NULL,
                sealed_client_secret BLOB,
                sealed_private_key BLOB,
                revision INTEGER NOT NULL,
                unlisted_since INTEGER,
                PRIMARY KEY (project, tenant, provider_id)
            );
            CREATE TABLE sign_in_attempts (
                state_digest BLOB NOT NULL PRIMARY KEY,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                provider_id TEXT NOT NULL,
                session_digest BLOB NOT NULL,
                redirect_url TEXT NOT NULL,
                context TEXT,
                expires_at INTEGER NOT NULL
            );
            CREATE INDEX sign_in_attempts_expires_at ON sign_in_attempts (expires_at);
            CREATE TABLE used_credentials (
                digest BLOB NOT NULL PRIMARY KEY,
                expires_at INTEGER NOT NULL
            );
            CREATE INDEX used_credentials_expires_at ON used_credentials (expires_at);
            """),
        SQLMigration(2, "declared sealed columns, secrets of the service", SealedRecords.tables),
        SQLMigration(3, "inquiries about master keys", SealedRecords.inquiryTables),
        SQLMigration(
            4, "changes of providers that are not in the audit log",
            """
            CREATE TABLE provider_changes (
                change_id TEXT NOT NULL PRIMARY KEY,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                change TEXT NOT NULL,
                at INTEGER NOT NULL,
                ip_address TEXT,
                operator_name TEXT,
                traceparent TEXT NOT NULL
            );
            """),
        SQLMigration(
            5, "since when a provider is what it is",
            "ALTER TABLE providers ADD COLUMN established_at INTEGER NOT NULL DEFAULT 0;"),
        SQLMigration(6, "announced master keys", SealedRecords.announcementTable),
    ]
}

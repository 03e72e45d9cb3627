import SQL

/// The tables of app verification (`AppVerificationTables.swift`): credentials that live for minutes, and counts of an
/// hour. Secrets and tokens are random, so plain hashes protect them. Addresses are not, so their digests have a key.
enum AppVerificationMigrations {
    static let tables = SQLMigration(
        3, "app verification",
        """
        CREATE TABLE app_check_pairs (
            receipt_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            device_digest BLOB NOT NULL,
            secret_hash BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX app_check_pairs_expires_at ON app_check_pairs (expires_at);
        CREATE TABLE app_check_tokens (
            token_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            bundle_id TEXT,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX app_check_tokens_expires_at ON app_check_tokens (expires_at);
        CREATE TABLE app_check_answers (
            challenge_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX app_check_answers_expires_at ON app_check_answers (expires_at);
        CREATE TABLE app_check_counts (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            scope_digest BLOB NOT NULL,
            window_start INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (project, tenant, scope_digest, window_start)
        );
        CREATE INDEX app_check_counts_window_start ON app_check_counts (window_start);
        """)
}

import SQL

extension IdentityMigrations {
    /// `sealed_link` is set only in dev mode, where test tools read codes back.
    static let actionCodes = SQLMigration(
        5, "action codes, sending quotas",
        """
        CREATE TABLE action_codes (
            sequence INTEGER PRIMARY KEY,
            code_hash BLOB NOT NULL UNIQUE,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            purpose TEXT NOT NULL,
            account_id TEXT,
            email TEXT NOT NULL,
            email_folded TEXT NOT NULL,
            new_email TEXT,
            factor_id TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            sealed_link BLOB,
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX action_codes_address ON action_codes (project, tenant, purpose, email_folded);
        CREATE INDEX action_codes_account ON action_codes (project, tenant, account_id);
        CREATE INDEX action_codes_expires_at ON action_codes (expires_at);
        CREATE TABLE sending_quotas (
            sequence INTEGER PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            subject_digest BLOB NOT NULL,
            count INTEGER NOT NULL,
            window_began_at INTEGER NOT NULL,
            UNIQUE (project, tenant, subject_digest)
        );
        CREATE INDEX sending_quotas_window_began_at ON sending_quotas (window_began_at);
        """)
}

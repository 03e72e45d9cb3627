import SQL

extension IdentityMigrations {
    /// The passkeys of accounts, whether a session's passkey verified its user, and the codes that remove a new passkey.
    static let passkeys = SQLMigration(
        17, "passkeys",
        """
        CREATE TABLE passkeys (
            project TEXT NOT NULL,
            credential_id BLOB NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            name TEXT NOT NULL,
            relying_party_id TEXT NOT NULL,
            user_handle BLOB NOT NULL,
            aaguid TEXT NOT NULL,
            backed_up INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER,
            PRIMARY KEY (project, credential_id),
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX passkeys_account ON passkeys (project, tenant, account_id);
        ALTER TABLE sessions ADD COLUMN user_verified INTEGER;
        ALTER TABLE action_codes ADD COLUMN credential_id TEXT;
        """)
}

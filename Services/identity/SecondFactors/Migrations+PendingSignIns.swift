import SQL

extension IdentityMigrations {
    /// Sign-ins that wait for a second factor.
    static let pendingSignIns = SQLMigration(
        4, "sign-ins that wait for a second factor",
        """
        CREATE TABLE pending_sign_ins (
            credential_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            facts TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX pending_sign_ins_account ON pending_sign_ins (project, tenant, account_id);
        CREATE INDEX pending_sign_ins_created_at ON pending_sign_ins (created_at);
        """)
}

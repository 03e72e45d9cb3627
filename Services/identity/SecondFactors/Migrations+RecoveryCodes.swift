import SQL

extension IdentityMigrations {
    /// A used code keeps its row: an account without unused codes differs from one that never had any.
    static let recoveryCodes = SQLMigration(
        7, "recovery codes",
        """
        CREATE TABLE recovery_codes (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            code_digest BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            used_at INTEGER,
            PRIMARY KEY (project, tenant, account_id, code_digest),
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE TABLE recovery_attempts (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            failures INTEGER NOT NULL,
            failures_in_window INTEGER NOT NULL,
            window_began_at INTEGER NOT NULL,
            PRIMARY KEY (project, tenant, account_id),
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX recovery_attempts_window_began_at ON recovery_attempts (window_began_at);
        """)
}

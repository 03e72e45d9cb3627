import SQL

extension IdentityMigrations {
    /// The roles of operators, and their sessions of the console. Both end with the account of the operator.
    static let operators = SQLMigration(
        40, "operators",
        """
        CREATE TABLE operator_grants (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            scope TEXT NOT NULL,
            role TEXT NOT NULL,
            PRIMARY KEY (project, tenant, account_id, scope),
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE TABLE operator_sessions (
            token_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            client_address TEXT,
            device TEXT,
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX operator_sessions_account ON operator_sessions (project, tenant, account_id);
        CREATE INDEX operator_sessions_ends_at ON operator_sessions (ends_at);
        """)
}

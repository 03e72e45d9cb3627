import SQL

extension IdentityMigrations {
    /// A refresh changes `last_used_at`. With an index on that column PostgreSQL writes a new entry into every index of the
    /// row.
    static let sessionExpiry = SQLMigration(
        47, "when the sweeper looks at a session",
        """
        ALTER TABLE sessions ADD COLUMN expiry_check_at INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX sessions_expiry_check_at ON sessions (expiry_check_at);
        """)

    static let withoutLastUseIndex = SQLMigration.contraction(
        48, "no index of the last use of a session", compatibleSince: 47, "DROP INDEX sessions_last_used_at;")
}

import SQL

extension IdentityMigrations {
    /// Accounts that their owners have deleted, and that are deleted later.
    static let scheduledDeletions = SQLMigration(
        42, "scheduled deletions",
        """
        ALTER TABLE accounts ADD COLUMN deletion_due_at INTEGER;
        CREATE INDEX accounts_deletion_due_at ON accounts (deletion_due_at, project, tenant, account_id)
            WHERE deletion_due_at IS NOT NULL;
        """)
}

import SQL

extension IdentityMigrations {
    /// The outbox of deleted accounts. Sessions of accounts that were deleted before are emptied, as they are now with their
    /// account.
    static let deletedAccounts = SQLMigration(
        28, "deleted accounts of which services do not know yet, emptied sessions of deleted accounts",
        """
        CREATE TABLE deleted_accounts (
            service TEXT NOT NULL,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            deleted_at INTEGER NOT NULL,
            PRIMARY KEY (service, project, tenant, account_id)
        );
        CREATE INDEX deleted_accounts_service ON deleted_accounts (service, deleted_at);
        CREATE INDEX deleted_accounts_deleted_at ON deleted_accounts (deleted_at);
        UPDATE sessions SET claims = NULL, sign_in_attributes = NULL, client_address = NULL
            WHERE ended_at IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM accounts WHERE accounts.project = sessions.project
                    AND accounts.tenant = sessions.tenant AND accounts.account_id = sessions.account_id);
        """)
}

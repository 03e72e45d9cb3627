import SQL

extension IdentityMigrations {
    /// What operators look for: the begin of a name, accounts that are disabled, and what one operator has done.
    static let accountSearch = SQLMigration(
        41, "search for accounts",
        """
        CREATE INDEX accounts_by_folded_name
            ON accounts (project, tenant, LOWER(COALESCE(display_name, '')), account_id, display_name);
        CREATE INDEX accounts_disabled ON accounts (project, tenant, account_id) WHERE disabled = 1;
        CREATE INDEX audit_log_operators ON audit_log (actor, sequence) WHERE actor LIKE 'operator:%';
        """)
}

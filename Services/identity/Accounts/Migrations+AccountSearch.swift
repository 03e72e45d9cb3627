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

    /// The filters of operators: addresses to verify, and accounts at a provider.
    static let accountFilters = SQLMigration(
        46, "filters of accounts",
        """
        CREATE INDEX accounts_unverified ON accounts (project, tenant, account_id)
            WHERE email_verified = 0 AND email_folded IS NOT NULL;
        CREATE INDEX provider_links_by_provider ON provider_links (project, tenant, provider_id, account_id);
        """)
}

import SQL

extension IdentityMigrations {
    /// An index for each order in which administrators list accounts. The one by id is the primary key. The engines
    /// read an index over an expression alone only if it has the expression's column too.
    static let accountOrders = SQLMigration(
        11, "orders of accounts",
        """
        CREATE INDEX accounts_by_display_name
            ON accounts (project, tenant, COALESCE(display_name, ''), account_id, display_name);
        CREATE INDEX accounts_by_created_at ON accounts (project, tenant, created_at, account_id);
        CREATE INDEX accounts_by_last_sign_in_at
            ON accounts (project, tenant, COALESCE(last_sign_in_at, 0), account_id, last_sign_in_at);
        CREATE INDEX accounts_by_email
            ON accounts (project, tenant, COALESCE(email_folded, ''), account_id, email_folded);
        """)
}

import SQL

extension IdentityMigrations {
    /// An account that has had a sign-in method is never anonymous again: of the accounts that have none now, those with
    /// a former address or password had one. Addresses that were verified before count as proven.
    static let provenance = SQLMigration(
        22, "history of sign-in methods, and proof of addresses",
        """
        ALTER TABLE accounts ADD COLUMN has_had_sign_in_method INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE accounts ADD COLUMN email_proven INTEGER NOT NULL DEFAULT 1;
        UPDATE accounts SET has_had_sign_in_method = 1
            WHERE email IS NULL AND (initial_email IS NOT NULL OR password_changed_at IS NOT NULL);
        """)
}

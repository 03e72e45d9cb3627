import SQL

extension IdentityMigrations {
    /// Sign-in methods are also found by the address that an account has at a provider. Links keep the spelling of their
    /// provider beside the comparison form.
    static let linkAddresses = SQLMigration(
        26, "addresses of provider links",
        """
        ALTER TABLE provider_links ADD COLUMN email_folded TEXT;
        UPDATE provider_links SET email_folded = LOWER(email) WHERE email IS NOT NULL;
        CREATE INDEX provider_links_email ON provider_links (project, tenant, email_folded);
        """)
}

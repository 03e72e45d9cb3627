import SQL

extension IdentityMigrations {
    /// What the owner of an account sees of its methods: when an identity was linked, and whether an attestation has
    /// verified the model of a passkey.
    static let methodDetails = SQLMigration(
        30, "times of links, verified models of passkeys",
        """
        ALTER TABLE provider_links ADD COLUMN linked_at INTEGER;
        ALTER TABLE passkeys ADD COLUMN model_verified INTEGER;
        """)
}

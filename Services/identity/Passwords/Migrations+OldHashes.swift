import SQL

extension IdentityMigrations {
    /// The time of a comparison with an imported hash, for the refusals of its realm. `OldHashMeasurement` measures the hashes
    /// that are stored already. Few accounts have one, so the index has those only.
    static let oldHashes = SQLMigration(
        27, "times of imported hashes",
        """
        ALTER TABLE accounts ADD COLUMN imported_hash_ms INTEGER;
        CREATE INDEX accounts_imported_hash_ms ON accounts (project, tenant, imported_hash_ms)
            WHERE imported_hash_ms IS NOT NULL;
        """)
}

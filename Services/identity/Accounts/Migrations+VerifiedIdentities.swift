import SQL

extension IdentityMigrations {
    /// Identities that were verified before are void when they are presented again.
    static let verifiedIdentities = SQLMigration(
        29, "validity of verified identities", "ALTER TABLE accounts ADD COLUMN identities_valid_since INTEGER;")
}

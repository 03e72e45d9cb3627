import SQL

extension IdentityMigrations {
    /// Null for a code that stands in a link. `code_hash` is that of the session that the digits belong to.
    static let emailCodes = SQLMigration(
        33, "digits of e-mail codes",
        """
        ALTER TABLE action_codes ADD COLUMN digits_digest BLOB;
        ALTER TABLE action_codes ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        """)
}

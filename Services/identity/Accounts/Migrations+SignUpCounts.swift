import SQL

extension IdentityMigrations {
    /// The key of a row is the digest of what is counted.
    static let signUpCountSubjects = SQLMigration(
        18, "name of the subject of a sign-up count",
        "ALTER TABLE sign_up_counts RENAME COLUMN counter TO subject_digest;")
}

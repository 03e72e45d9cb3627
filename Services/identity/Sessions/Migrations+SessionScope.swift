import SQL

extension IdentityMigrations {
    /// What a session may be used for; absent: everything.
    static let sessionScope = SQLMigration(
        14, "scope of a session", "ALTER TABLE sessions ADD COLUMN scope TEXT;")
}

import SQL

extension IdentityMigrations {
    /// The address that opened a session, for the operator; absent for sessions of former versions.
    static let sessionClientAddress = SQLMigration(
        20, "client address of a session", "ALTER TABLE sessions ADD COLUMN client_address TEXT;")
}

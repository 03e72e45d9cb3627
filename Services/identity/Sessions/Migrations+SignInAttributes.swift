import SQL

extension IdentityMigrations {
    /// Claims of the provider that signed in; absent for other sign-ins.
    static let signInAttributes = SQLMigration(
        19, "attributes of a sign-in with a provider", "ALTER TABLE sessions ADD COLUMN sign_in_attributes TEXT;")
}

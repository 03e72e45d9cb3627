import SQL

extension IdentityMigrations {
    /// What a session and a pending sign-in keep of a sign-in with a provider; absent for other sign-ins.
    static let providerSignIn = SQLMigration(
        19, "sign-ins with providers",
        """
        ALTER TABLE sessions ADD COLUMN sign_in_attributes TEXT;
        ALTER TABLE pending_sign_ins ADD COLUMN provider_identity TEXT;
        """)
}

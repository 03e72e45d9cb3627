import SQL

extension IdentityMigrations {
    /// The name of the client that opened a session, and the session that it continues, for the list of the account's
    /// owner.
    static let sessionDevices = SQLMigration(
        32, "device and sign-in of a session",
        """
        ALTER TABLE sessions ADD COLUMN device TEXT;
        ALTER TABLE sessions ADD COLUMN sign_in_id BLOB;
        UPDATE sessions SET client_address = NULL WHERE ended_at IS NOT NULL;
        """)

    /// Whether the sign-in of a session was by e-mail; absent for sessions of former versions, which say `password`.
    static let sessionEmail = SQLMigration(
        35, "first factor of a session", "ALTER TABLE sessions ADD COLUMN by_email INTEGER;")
}

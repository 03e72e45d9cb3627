import SQL

extension IdentityMigrations {
    /// The table has devices, too.
    static let knownClients = SQLMigration(
        36, "devices with which accounts have signed in",
        """
        ALTER TABLE known_networks RENAME TO known_clients;
        ALTER TABLE known_clients RENAME COLUMN network_digest TO client_digest;
        """)
}

import SQL

extension IdentityMigrations {
    /// Networks from which accounts have signed in, as keyed digests.
    static let knownNetworks = SQLMigration(
        15, "networks from which accounts have signed in",
        """
        CREATE TABLE known_networks (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            network_digest BLOB NOT NULL,
            last_seen_at INTEGER NOT NULL,
            PRIMARY KEY (project, tenant, account_id, network_digest),
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX known_networks_network ON known_networks (project, tenant, network_digest);
        CREATE INDEX known_networks_last_seen_at ON known_networks (last_seen_at);
        """)
}

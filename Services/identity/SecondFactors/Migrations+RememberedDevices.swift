import SQL

extension IdentityMigrations {
    /// Devices that the hosted sign-in asks for no second factor, and the sessions that it opened for them.
    static let rememberedDevices = SQLMigration(
        39, "remembered devices",
        """
        CREATE TABLE remembered_devices (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            secret_hash BLOB NOT NULL,
            device TEXT,
            sign_in_id BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            PRIMARY KEY (project, tenant, account_id, secret_hash),
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX remembered_devices_expires_at ON remembered_devices (expires_at);
        ALTER TABLE sessions ADD COLUMN device_remembered INTEGER;
        """)
}

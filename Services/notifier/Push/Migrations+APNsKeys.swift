import SQL

extension NotifierMigrations {
    /// The keys of projects for pushes, and their changes that are not in the audit log.
    static let apnsKeys = SQLMigration(
        9, "APNs keys of projects",
        """
        CREATE TABLE apns_keys (
            apns_key_id TEXT PRIMARY KEY,
            project TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            key_id TEXT NOT NULL,
            team_id TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            sealed_private_key BLOB NOT NULL,
            UNIQUE (project, bundle_id, environment, key_id)
        );
        CREATE TABLE apns_key_changes (
            change_id TEXT NOT NULL PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            change TEXT NOT NULL,
            at INTEGER NOT NULL,
            ip_address TEXT,
            operator_name TEXT,
            traceparent TEXT NOT NULL
        );
        """)
}

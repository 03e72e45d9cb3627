import SQL

extension IdentityMigrations {
    static let configurationRevisions = SQLMigration(
        45, "revisions of configurations",
        """
        CREATE TABLE configuration_revisions (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            revision INTEGER NOT NULL,
            configuration TEXT NOT NULL,
            changed_at INTEGER,
            actor TEXT,
            PRIMARY KEY (project, tenant, revision)
        );
        """)
}

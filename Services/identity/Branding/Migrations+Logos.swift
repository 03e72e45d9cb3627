import SQL

extension IdentityMigrations {
    static let logos = SQLMigration(
        34, "logos of projects and tenants",
        """
        CREATE TABLE logos (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            digest TEXT NOT NULL,
            media_type TEXT NOT NULL,
            content BLOB NOT NULL,
            retired_at INTEGER,
            PRIMARY KEY (project, tenant, digest)
        );
        CREATE INDEX logos_digest ON logos (digest);
        CREATE INDEX logos_retired_at ON logos (retired_at);
        """)
}

import SQL

extension IdentityMigrations {
    static let applications = SQLMigration(
        37, "registered applications",
        """
        CREATE TABLE applications (
            application_id TEXT PRIMARY KEY,
            project TEXT NOT NULL REFERENCES projects (project),
            registration TEXT NOT NULL,
            revision INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        );
        CREATE INDEX applications_project ON applications (project, created_at);
        """)
}

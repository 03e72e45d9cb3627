import SQL

extension IdentityMigrations {
    /// The index is for the deletion by age, and for the costs of all projects on one day.
    static let activity = SQLMigration(
        43, "counts of activity",
        """
        CREATE TABLE activity_counts (
            project TEXT NOT NULL,
            resolution TEXT NOT NULL,
            starts_at INTEGER NOT NULL,
            counter TEXT NOT NULL,
            amount INTEGER NOT NULL,
            PRIMARY KEY (project, resolution, starts_at, counter)
        );
        CREATE INDEX activity_counts_starts_at ON activity_counts (resolution, starts_at);
        """)
}

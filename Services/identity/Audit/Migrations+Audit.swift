import SQL

extension IdentityMigrations {
    /// Rows are inserted without a link and linked later, so that writers do not wait for the chain. Existing rows were
    /// linked in the order of their numbers, so their numbers are their links.
    static let auditLinks = SQLMigration(
        2, "links and anchors of the audit log",
        """
        ALTER TABLE audit_log ADD COLUMN link INTEGER;
        UPDATE audit_log SET link = sequence;
        CREATE UNIQUE INDEX audit_log_link ON audit_log (link) WHERE link IS NOT NULL;
        CREATE INDEX audit_log_unlinked ON audit_log (sequence) WHERE link IS NULL;
        CREATE TABLE audit_anchors (
            link INTEGER NOT NULL,
            at INTEGER NOT NULL,
            sealed_chain BLOB NOT NULL,
            PRIMARY KEY (link)
        );
        """)

    /// The last anchor moves with the chain until it is fixed.
    static let movingAnchor = SQLMigration(
        24, "the moving anchor of the audit log",
        "ALTER TABLE audit_anchors ADD COLUMN moves INTEGER NOT NULL DEFAULT 0")
}

import SQL

extension IdentityMigrations {
    /// Takes the links of the chain out of the way of those who write: rows come without a link and get it later. The rows
    /// that are there were linked one after the other as they came, so their numbers are their links.
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
}

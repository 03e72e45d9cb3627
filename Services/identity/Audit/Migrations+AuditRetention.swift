import SQL

extension IdentityMigrations {
    /// Refusals are counted by the minute before they become a row of the audit log; old rows are deleted from it.
    static let auditRetention = SQLMigration(
        16, "counted refusals, retention of the audit log",
        """
        CREATE TABLE audit_refusals (
            minute INTEGER NOT NULL,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            action TEXT NOT NULL,
            outcome TEXT NOT NULL,
            actor TEXT NOT NULL,
            account_id TEXT NOT NULL,
            shard INTEGER NOT NULL,
            count INTEGER NOT NULL,
            at INTEGER NOT NULL,
            ip_address TEXT,
            trace TEXT NOT NULL,
            PRIMARY KEY (minute, project, tenant, action, outcome, actor, account_id, shard)
        );
        ALTER TABLE audit_log ADD COLUMN count INTEGER;
        CREATE INDEX audit_log_acts ON audit_log (at) WHERE outcome = 'done';
        CREATE INDEX audit_log_refusals ON audit_log (at) WHERE outcome <> 'done';
        CREATE TABLE audit_cuts (
            first_link INTEGER NOT NULL,
            last_link INTEGER NOT NULL,
            sealed_end BLOB NOT NULL,
            PRIMARY KEY (first_link)
        );
        CREATE INDEX audit_cuts_last_link ON audit_cuts (last_link);
        """)
}

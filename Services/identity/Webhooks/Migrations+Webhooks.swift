import SQL

extension IdentityMigrations {
    /// Webhooks, and the account events that the notifier has not accepted yet.
    static let webhooks = SQLMigration(
        21, "webhooks, account events that the notifier has not accepted yet",
        """
        CREATE TABLE webhooks (
            webhook_id TEXT PRIMARY KEY,
            project TEXT NOT NULL,
            url TEXT NOT NULL,
            kinds TEXT NOT NULL,
            disabled INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            accepted_revision INTEGER NOT NULL,
            deleted INTEGER NOT NULL,
            sealed_secrets BLOB NOT NULL
        );
        CREATE INDEX webhooks_project ON webhooks (project, created_at);
        CREATE INDEX webhooks_not_accepted ON webhooks (webhook_id) WHERE accepted_revision <> revision;
        CREATE TABLE account_events (
            event_id TEXT PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT,
            kind TEXT NOT NULL,
            occurred_at INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            details TEXT NOT NULL,
            webhook_ids TEXT NOT NULL
        );
        CREATE INDEX account_events_sequence ON account_events (sequence, event_id);
        CREATE INDEX account_events_realm ON account_events (project, tenant);
        CREATE TABLE account_event_sequences (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            last_sequence INTEGER NOT NULL,
            used_at INTEGER NOT NULL,
            PRIMARY KEY (project, tenant, account_id)
        );
        CREATE INDEX account_event_sequences_used_at ON account_event_sequences (used_at);
        """)
}

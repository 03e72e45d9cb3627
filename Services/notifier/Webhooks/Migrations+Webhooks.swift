import SQL

extension NotifierMigrations {
    /// Webhooks, their events, and the queue of each account.
    static let webhooks = SQLMigration(
        5, "webhooks and their events",
        """
        CREATE TABLE webhooks (
            webhook_id TEXT PRIMARY KEY,
            project TEXT NOT NULL,
            url TEXT NOT NULL,
            disabled INTEGER NOT NULL,
            deleted_at INTEGER,
            revision INTEGER NOT NULL,
            last_position INTEGER NOT NULL,
            dropped_events INTEGER NOT NULL,
            gone_at INTEGER,
            failing_since INTEGER,
            problem TEXT,
            sealed_secrets BLOB NOT NULL
        );
        CREATE INDEX webhooks_deleted_at ON webhooks (deleted_at);
        CREATE TABLE webhook_events (
            webhook_id TEXT NOT NULL,
            position INTEGER NOT NULL,
            event_id TEXT NOT NULL,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            event TEXT NOT NULL,
            accepted_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            refusals INTEGER NOT NULL,
            last_attempt_at INTEGER,
            problem TEXT,
            finished_at INTEGER,
            PRIMARY KEY (webhook_id, position)
        );
        CREATE UNIQUE INDEX webhook_events_event ON webhook_events (webhook_id, event_id);
        CREATE INDEX webhook_events_queue ON webhook_events (webhook_id, tenant, account_id, position, accepted_at)
            WHERE state = 'pending';
        CREATE INDEX webhook_events_expires_at ON webhook_events (expires_at, accepted_at)
            WHERE state = 'pending';
        CREATE INDEX webhook_events_finished_at ON webhook_events (finished_at);
        CREATE TABLE webhook_queues (
            webhook_id TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            due_at INTEGER NOT NULL,
            lease_holder TEXT,
            lease_number INTEGER NOT NULL,
            PRIMARY KEY (webhook_id, tenant, account_id)
        );
        CREATE INDEX webhook_queues_due_at ON webhook_queues (webhook_id, due_at);
        CREATE INDEX webhook_queues_lease_holder ON webhook_queues (lease_holder);
        """)
}

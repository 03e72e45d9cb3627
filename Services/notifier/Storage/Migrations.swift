import MasterKey
import SQL

/// The tables of the notifier, oldest first. Append; never edit one that was released.
///
/// Every row carries project and tenant; a project's own users have the empty tenant. Times are Unix milliseconds.
enum NotifierMigrations {
    static let all = [
        SQLMigration(
            1, "messages, outbox, limits, inbox",
            """
            CREATE TABLE messages (
                message_id TEXT PRIMARY KEY,
                idempotency_key TEXT NOT NULL UNIQUE,
                params_digest BLOB NOT NULL,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                channel TEXT NOT NULL,
                purpose TEXT NOT NULL,
                masked_recipient TEXT NOT NULL,
                accepted_at INTEGER NOT NULL,
                state TEXT NOT NULL,
                attempts INTEGER NOT NULL,
                problem TEXT,
                finished_at INTEGER
            );
            CREATE INDEX messages_project ON messages (project, accepted_at);
            CREATE INDEX messages_finished_at ON messages (finished_at);
            CREATE TABLE outbox (
                message_id TEXT PRIMARY KEY REFERENCES messages (message_id),
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                channel TEXT NOT NULL,
                purpose TEXT NOT NULL,
                accepted_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                due_at INTEGER NOT NULL,
                lease_holder TEXT,
                attempts INTEGER NOT NULL,
                setbacks INTEGER NOT NULL,
                problem TEXT,
                sealed_request BLOB NOT NULL
            );
            CREATE INDEX outbox_turn ON outbox (channel, project, due_at);
            CREATE INDEX outbox_expires_at ON outbox (expires_at);
            CREATE TABLE send_counts (
                scope_digest BLOB NOT NULL,
                window_start INTEGER NOT NULL,
                count INTEGER NOT NULL,
                PRIMARY KEY (scope_digest, window_start)
            );
            CREATE INDEX send_counts_window_start ON send_counts (window_start);
            CREATE TABLE inbox (
                message_id TEXT PRIMARY KEY,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                recipient_digest BLOB NOT NULL,
                received_at INTEGER NOT NULL,
                sealed_message BLOB NOT NULL
            );
            CREATE INDEX inbox_received_at ON inbox (received_at);
            CREATE INDEX inbox_recipient ON inbox (recipient_digest, received_at);
            """),
        SQLMigration(2, "declared sealed columns, secrets of the service", SealedRecords.tables),
        SQLMigration(
            3, "providers, prices and receipts",
            """
            ALTER TABLE outbox ADD COLUMN provider TEXT;
            ALTER TABLE messages ADD COLUMN provider TEXT;
            ALTER TABLE messages ADD COLUMN price_micros INTEGER;
            ALTER TABLE messages ADD COLUMN currency TEXT;
            ALTER TABLE messages ADD COLUMN receipt TEXT;
            """),
        SQLMigration(4, "inquiries about master keys", SealedRecords.inquiryTables),
        webhooks,
        // Rows of earlier versions began to wait in the past.
        SQLMigration(
            6, "the beginnings of pauses",
            """
            ALTER TABLE outbox ADD COLUMN paused_at INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX outbox_paused_at ON outbox (paused_at);
            ALTER TABLE webhook_queues ADD COLUMN paused_at INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX webhook_queues_paused_at ON webhook_queues (paused_at);
            """),
        SQLMigration(
            7, "positions of webhooks in rows of their own",
            """
            CREATE TABLE webhook_positions (
                webhook_id TEXT PRIMARY KEY,
                last_position INTEGER NOT NULL
            );
            INSERT INTO webhook_positions (webhook_id, last_position) SELECT webhook_id, last_position FROM webhooks;
            ALTER TABLE webhooks DROP COLUMN last_position;
            """),
        SQLMigration(8, "announced master keys", SealedRecords.announcementTable),
        apnsKeys,
        SQLMigration(10, "traces of messages", "ALTER TABLE outbox ADD COLUMN traceparent TEXT;"),
    ]
}

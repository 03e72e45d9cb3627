import SQL

/// The tables of sent messages (`SendingTables.swift`).
///
/// Counts belong to a project with all its tenants, because each tenant would raise the limits otherwise. Numbers,
/// accounts and addresses are keyed hashes. Prefixes are in the clear, because they identify no user.
enum SendingMigrations {
    static let counts = SQLMigration(
        2, "counts, ladders and ranges of sending, events of its limits",
        """
        CREATE TABLE sending_counts (
            project TEXT NOT NULL,
            scope TEXT NOT NULL,
            subject BLOB NOT NULL,
            window_start INTEGER NOT NULL,
            window_end INTEGER NOT NULL,
            sent INTEGER NOT NULL,
            verified INTEGER NOT NULL,
            spent_micros INTEGER NOT NULL,
            PRIMARY KEY (project, scope, subject, window_start)
        );
        CREATE INDEX sending_counts_window_end ON sending_counts (window_end);
        CREATE TABLE sending_ladders (
            project TEXT NOT NULL,
            number_digest BLOB NOT NULL,
            messages INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            previous_at INTEGER,
            PRIMARY KEY (project, number_digest)
        );
        CREATE INDEX sending_ladders_last_at ON sending_ladders (last_at);
        CREATE TABLE sending_ranges (
            project TEXT NOT NULL,
            prefix TEXT NOT NULL,
            sent INTEGER NOT NULL,
            verified INTEGER NOT NULL,
            settled INTEGER NOT NULL,
            marked INTEGER NOT NULL,
            marked_at INTEGER NOT NULL,
            last_sent_at INTEGER NOT NULL,
            closed_until INTEGER,
            closings INTEGER NOT NULL,
            PRIMARY KEY (project, prefix)
        );
        CREATE INDEX sending_ranges_last_sent_at ON sending_ranges (last_sent_at);
        CREATE INDEX sending_ranges_closed_until ON sending_ranges (project, closed_until);
        CREATE TABLE sending_events (
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            reason TEXT NOT NULL,
            subject BLOB NOT NULL,
            until_at INTEGER NOT NULL,
            happened_at INTEGER NOT NULL,
            purpose TEXT NOT NULL,
            region TEXT,
            prefix TEXT NOT NULL,
            ip_address TEXT,
            PRIMARY KEY (project, reason, subject, until_at)
        );
        CREATE INDEX sending_events_happened_at ON sending_events (happened_at);
        """)

    /// The columns of `PrefixRecord` with its names.
    static let prefixColumns = SQLMigration(
        5, "names of the columns of prefixes",
        """
        ALTER TABLE sending_ranges RENAME COLUMN settled TO matured;
        ALTER TABLE sending_ranges RENAME COLUMN marked TO checkpoint_sent;
        ALTER TABLE sending_ranges RENAME COLUMN marked_at TO checkpoint_at;
        ALTER TABLE sending_ranges RENAME COLUMN closed_until TO blocked_until;
        ALTER TABLE sending_ranges RENAME COLUMN closings TO block_count;
        DROP INDEX sending_ranges_closed_until;
        CREATE INDEX sending_ranges_blocked_until ON sending_ranges (project, blocked_until);
        """)
}

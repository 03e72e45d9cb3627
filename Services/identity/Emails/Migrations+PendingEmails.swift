import SQL

extension IdentityMigrations {
    /// E-mails that the notifier has not accepted yet. `due_at` is the next attempt, or the end of a lease.
    static let pendingEmails = SQLMigration(
        9, "mails that the notifier has not accepted yet",
        """
        CREATE TABLE pending_mails (
            mail_id TEXT PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            sealed_mail BLOB NOT NULL
        );
        CREATE INDEX pending_mails_due_at ON pending_mails (due_at);
        CREATE INDEX pending_mails_expires_at ON pending_mails (expires_at);
        CREATE INDEX pending_mails_realm ON pending_mails (project, tenant);
        """)

    /// When the pause or the lease of an e-mail began. Those of earlier versions began in the past.
    static let emailPauses = SQLMigration(
        23, "the beginnings of pauses of mails",
        """
        ALTER TABLE pending_mails ADD COLUMN paused_at INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX pending_mails_paused_at ON pending_mails (paused_at);
        """)

    /// Who sends an e-mail: the next start of an identity frees the e-mails of processes that have ended.
    static let emailLeaseHolders = SQLMigration(
        25, "the holders of the leases of mails",
        """
        ALTER TABLE pending_mails ADD COLUMN lease_holder TEXT;
        CREATE INDEX pending_mails_lease_holder ON pending_mails (lease_holder);
        """)
}

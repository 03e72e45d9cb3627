import SQL

extension IdentityMigrations {
    /// The first page of the console looks for the last changes of settings, among all that users did since.
    static let auditActions = SQLMigration(
        44, "audit log by action",
        """
        CREATE INDEX audit_log_rare_actions ON audit_log (action, sequence)
            WHERE action NOT IN ('session.created', 'session.first-factor-verified', 'session.ended', 'account.created', 'account.updated', 'action-code.issued');
        """)
}

import SQL

extension IdentityMigrations {
    /// Proofs that a caller has verified a number of another account.
    static let temporaryProofs = SQLMigration(
        8, "proofs of telephone numbers",
        """
        CREATE TABLE temporary_proofs (
            proof_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            phone_number TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX temporary_proofs_realm ON temporary_proofs (project, tenant);
        CREATE INDEX temporary_proofs_expires_at ON temporary_proofs (expires_at);
        """)
}

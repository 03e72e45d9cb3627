import SQL

extension IdentityMigrations {
    static let authorizationCodes = SQLMigration(
        38, "authorization codes",
        """
        CREATE TABLE authorization_codes (
            code_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            tenant TEXT NOT NULL,
            account_id TEXT NOT NULL,
            sign_in_id BLOB NOT NULL,
            application_id TEXT NOT NULL,
            redirect_url TEXT NOT NULL,
            challenge TEXT NOT NULL,
            nonce TEXT,
            created_at INTEGER NOT NULL,
            ended_at INTEGER,
            opened_session_id BLOB,
            FOREIGN KEY (project, tenant, account_id)
                REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
        );
        CREATE INDEX authorization_codes_account ON authorization_codes (project, tenant, account_id);
        CREATE INDEX authorization_codes_created_at ON authorization_codes (created_at);
        """)
}

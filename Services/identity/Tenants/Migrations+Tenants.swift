import SQL

extension IdentityMigrations {
    /// Tenants, service accounts, sign-up quotas by address and hour, and the claims of a custom token, which belong to
    /// the session.
    static let tenantsAndServiceAccounts = SQLMigration(
        6, "tenants, service accounts, sign-up quota, claims of a session",
        """
        CREATE TABLE tenants (
            project TEXT NOT NULL REFERENCES projects (project),
            tenant TEXT NOT NULL,
            configuration TEXT NOT NULL,
            revision INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            deleted_at INTEGER,
            PRIMARY KEY (project, tenant)
        );
        CREATE INDEX tenants_deleted_at ON tenants (deleted_at);
        CREATE TABLE service_account_keys (
            email TEXT NOT NULL,
            key_id TEXT NOT NULL,
            project TEXT NOT NULL REFERENCES projects (project),
            public_key BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (email, key_id)
        );
        CREATE INDEX service_account_keys_project ON service_account_keys (project, email);
        CREATE TABLE access_tokens (
            token_hash BLOB PRIMARY KEY,
            project TEXT NOT NULL,
            service_account TEXT NOT NULL,
            key_id TEXT NOT NULL,
            rights TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX access_tokens_service_account ON access_tokens (service_account);
        CREATE INDEX access_tokens_expires_at ON access_tokens (expires_at);
        CREATE TABLE used_assertions (
            assertion_digest BLOB PRIMARY KEY,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX used_assertions_expires_at ON used_assertions (expires_at);
        CREATE TABLE sign_up_counts (
            counter BLOB PRIMARY KEY,
            count INTEGER NOT NULL,
            ends_at INTEGER NOT NULL
        );
        CREATE INDEX sign_up_counts_ends_at ON sign_up_counts (ends_at);
        ALTER TABLE sessions ADD COLUMN claims TEXT;
        """)
}

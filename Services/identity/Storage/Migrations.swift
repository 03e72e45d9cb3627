import SQL

/// The tables of identity, oldest first. Append; never edit one that was released.
///
/// Every row has project and tenant; a project's own users have the empty tenant. Times are Unix milliseconds, except
/// `valid_since` and `authenticated_at`, which are seconds as in tokens.
enum IdentityMigrations {
    static let all = [
        SQLMigration(
            1, "projects, accounts, sessions, signing keys, audit log",
            """
            CREATE TABLE projects (
                project TEXT PRIMARY KEY,
                number TEXT NOT NULL UNIQUE,
                api_key TEXT NOT NULL UNIQUE,
                configuration TEXT NOT NULL,
                revision INTEGER NOT NULL,
                created_at INTEGER NOT NULL
            );
            CREATE TABLE accounts (
                project TEXT NOT NULL REFERENCES projects (project),
                tenant TEXT NOT NULL,
                account_id TEXT NOT NULL,
                email TEXT,
                email_folded TEXT,
                initial_email TEXT,
                initial_email_folded TEXT,
                email_verified INTEGER NOT NULL,
                email_link_sign_in INTEGER NOT NULL,
                display_name TEXT,
                photo_url TEXT,
                phone_number TEXT,
                disabled INTEGER NOT NULL,
                custom_authentication INTEGER NOT NULL,
                password_record TEXT,
                password_changed_at INTEGER,
                valid_since INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                last_sign_in_at INTEGER,
                last_refresh_at INTEGER,
                custom_claims TEXT,
                PRIMARY KEY (project, tenant, account_id)
            );
            CREATE UNIQUE INDEX accounts_email ON accounts (project, tenant, email_folded);
            CREATE UNIQUE INDEX accounts_phone_number ON accounts (project, tenant, phone_number);
            CREATE INDEX accounts_initial_email ON accounts (project, tenant, initial_email_folded);
            CREATE TABLE provider_links (
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                provider_id TEXT NOT NULL,
                provider_account_id TEXT NOT NULL,
                account_id TEXT NOT NULL,
                position INTEGER NOT NULL,
                email TEXT,
                display_name TEXT,
                photo_url TEXT,
                PRIMARY KEY (project, tenant, provider_id, provider_account_id),
                FOREIGN KEY (project, tenant, account_id)
                    REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
            );
            CREATE INDEX provider_links_account ON provider_links (project, tenant, account_id);
            CREATE TABLE second_factors (
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                account_id TEXT NOT NULL,
                factor_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                phone_number TEXT,
                display_name TEXT,
                enrolled_at INTEGER NOT NULL,
                PRIMARY KEY (project, tenant, account_id, factor_id),
                FOREIGN KEY (project, tenant, account_id)
                    REFERENCES accounts (project, tenant, account_id) ON DELETE CASCADE
            );
            CREATE TABLE sessions (
                session_id BLOB PRIMARY KEY,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                account_id TEXT NOT NULL,
                authenticated_at INTEGER NOT NULL,
                sign_in_provider TEXT NOT NULL,
                second_factor_kind TEXT,
                second_factor_id TEXT,
                created_at INTEGER NOT NULL,
                last_used_at INTEGER NOT NULL,
                ended_at INTEGER,
                generation INTEGER NOT NULL,
                current_hash BLOB NOT NULL,
                previous_hash BLOB,
                successor_salt BLOB
            );
            CREATE INDEX sessions_account ON sessions (project, tenant, account_id);
            CREATE INDEX sessions_last_used_at ON sessions (last_used_at);
            CREATE TABLE sign_in_attempts (
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                address_digest BLOB NOT NULL,
                count INTEGER NOT NULL,
                blocked_until INTEGER,
                last_attempt_at INTEGER NOT NULL,
                PRIMARY KEY (project, tenant, address_digest)
            );
            CREATE INDEX sign_in_attempts_last_attempt_at ON sign_in_attempts (last_attempt_at);
            CREATE TABLE signing_keys (
                key_id TEXT PRIMARY KEY,
                purpose TEXT NOT NULL,
                activates_at INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                sealed_private_key BLOB NOT NULL,
                certificate TEXT NOT NULL,
                modulus TEXT NOT NULL,
                exponent TEXT NOT NULL
            );
            CREATE INDEX signing_keys_purpose ON signing_keys (purpose, activates_at);
            CREATE TABLE recorded_replies (
                idempotency_key TEXT PRIMARY KEY,
                params_digest BLOB NOT NULL,
                sealed_reply BLOB NOT NULL,
                recorded_at INTEGER NOT NULL
            );
            CREATE INDEX recorded_replies_recorded_at ON recorded_replies (recorded_at);
            CREATE TABLE audit_log (
                sequence INTEGER PRIMARY KEY,
                at INTEGER NOT NULL,
                project TEXT NOT NULL,
                tenant TEXT NOT NULL,
                action TEXT NOT NULL,
                outcome TEXT NOT NULL,
                actor TEXT NOT NULL,
                account_id TEXT,
                ip_address TEXT,
                trace TEXT NOT NULL,
                chain BLOB NOT NULL
            );
            CREATE INDEX audit_log_account ON audit_log (project, tenant, account_id, sequence);
            """),
        auditLinks,
        sealedColumns,
        pendingSignIns,
        actionCodes,
        tenantsAndServiceAccounts,
        recoveryCodes,
        temporaryProofs,
        pendingEmails,
        ringInquiries,
        accountOrders,
        lowerCaseEmails,
        sealedSMTPPasswords,
        sessionScope,
        knownNetworks,
        auditRetention,
        passkeys,
        signUpCountSubjects,
        providerSignIn,
        sessionClientAddress,
        webhooks,
        provenance,
        emailPauses,
        movingAnchor,
        emailLeaseHolders,
        linkAddresses,
        oldHashes,
        deletedAccounts,
        verifiedIdentities,
        methodDetails,
        ringAnnouncements,
        sessionDevices,
        emailCodes,
        logos,
        sessionEmail,
        knownClients,
        applications,
        authorizationCodes,
        rememberedDevices,
        operators,
        accountSearch,
        scheduledDeletions,
        activity,
        auditActions,
        configurationRevisions,
        accountFilters,
        sessionExpiry,
        withoutLastUseIndex,
    ]
}

import SQL

/// The tables of identity.
enum IdentityTables {
    static let all: [any SQLTableDescription.Type] = [
        ProjectTable.self, TenantTable.self, ConfigurationRevisionTable.self, LogoTable.self, AccountTable.self,
        ProviderLinkTable.self,
        SignUpCountTable.self,
        DeletedAccountTable.self,
        SignInAttemptTable.self, KnownClientTable.self, SessionTable.self, SigningKeyTable.self,
        SecondFactorTable.self, PasskeyTable.self, PendingSignInTable.self, RecoveryCodeTable.self,
        RecoveryAttemptTable.self, RememberedDeviceTable.self,
        TemporaryProofTable.self, ActionCodeTable.self, SendingQuotaTable.self, PendingEmailTable.self,
        ServiceAccountKeyTable.self, AccessTokenTable.self, UsedAssertionTable.self, RecordedReplyTable.self,
        ApplicationTable.self, AuthorizationCodeTable.self, WebhookTable.self, AccountEventTable.self,
        AccountEventSequenceTable.self, OperatorGrantTable.self, OperatorSessionTable.self, ActivityCountTable.self,
        AuditLogTable.self, AuditAnchorTable.self, AuditRefusalTable.self, AuditCutTable.self,
    ]

    /// The tables whose rows are deleted with a tenant; a foreign key deletes those of the others with their account.
    /// Accounts are the last, so that the batch after an interruption finds what is left.
    static let tenantData: [any TenantDataTable.Type] = [ConfigurationRevisionTable.self] + accountData

    /// The tables whose rows are deleted with all accounts of a project or tenant, which keeps its settings and their history.
    static let accountData: [any TenantDataTable.Type] = [
        SessionTable.self, SignInAttemptTable.self, ActionCodeTable.self, SendingQuotaTable.self,
        TemporaryProofTable.self, PendingEmailTable.self, AccountEventTable.self,
        AccountEventSequenceTable.self, AccountTable.self,
    ]
}

/// The replies of calls that take effect once.
enum RecordedReplyTable: String, SQLTableDescription {
    case idempotencyKey = "idempotency_key"
    case paramsDigest = "params_digest"
    case sealedReply = "sealed_reply"
    case recordedAt = "recorded_at"

    static let table = "recorded_replies"
    static let key = [idempotencyKey]
    static let expiry = SQLExpiry.after(Self.recordedAt, lifetime: IdempotentCall.memory)

    static let insertion = insert()
    static let byKey = select([paramsDigest, sealedReply])
}

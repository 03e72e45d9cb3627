import Vocabulary

/// One action: actor, account, time, address and outcome (security rule AU1).
struct AuditEntry: Equatable, Sendable {
    var at: Moment
    var realm: Realm
    var action: Action
    var outcome: Outcome = .succeeded
    var actor: Actor
    /// The account that the action is about.
    var accountID: AccountID?
    var ipAddress: String?
    /// Connects the entry with the log lines of every process.
    var traceID: String

    enum Action: String, Sendable {
        case projectCreated = "project.created"
        case configurationChanged = "configuration.changed"
        case signingKeyCreated = "signing-key.created"
        /// By the operator, in an emergency.
        case signingKeyRevoked = "signing-key.revoked"
        /// All sealed columns are sealed under another master key than before.
        case masterKeyRotated = "master-key.rotated"
        case tenantCreated = "tenant.created"
        case tenantChanged = "tenant.changed"
        case tenantDeleted = "tenant.deleted"
        /// The configuration of an identity provider, which federation stores.
        case providerCreated = "provider.created"
        case providerChanged = "provider.changed"
        case providerDeleted = "provider.deleted"
        /// A key for pushes, which the notifier stores.
        case apnsKeyAdded = "apns-key.added"
        case apnsKeyRemoved = "apns-key.removed"
        case webhookCreated = "webhook.created"
        case webhookChanged = "webhook.changed"
        case webhookDeleted = "webhook.deleted"
        case webhookSecretRotated = "webhook.secret-rotated"
        case webhookTested = "webhook.tested"
        /// Events that were delivered or had failed are sent again.
        case webhookReplayed = "webhook.replayed"
        case applicationCreated = "application.created"
        case applicationChanged = "application.changed"
        case applicationDeleted = "application.deleted"
        case serviceAccountKeyAdded = "service-account.key-added"
        case serviceAccountKeyRemoved = "service-account.key-removed"
        case accessTokenGranted = "access-token.issued"
        case sessionCookieCreated = "session-cookie.issued"
        case accountsCleared = "accounts.deleted"
        case accountsImported = "accounts.imported"
        /// With the hashes of their passwords.
        case accountsExported = "accounts.exported"
        /// With the secrets of TOTP factors and with passkeys too.
        case accountSecretsExported = "accounts.secrets-exported"
        case accountCreated = "account.created"
        case accountUpdated = "account.updated"
        case accountDeleted = "account.deleted"
        /// By its owner: it is deleted later.
        case deletionScheduled = "account.deletion-scheduled"
        /// By its owner, before it was deleted.
        case accountRestored = "account.restored"
        /// By its owner, with everything that is stored about it.
        case accountDownloaded = "account.downloaded"
        case passwordLinked = "account.password-linked"
        case passwordChanged = "account.password-changed"
        case emailChanged = "account.email-changed"
        case phoneLinked = "account.phone-linked"
        case phoneChanged = "account.phone-changed"
        case providerLinked = "account.provider-linked"
        /// The owner of the address signed in with a provider. The account had the address unverified: its sign-in
        /// methods, factors and sessions were removed.
        case unverifiedAccessRemoved = "account.unverified-access-removed"
        /// About the account that has the number.
        case temporaryProofIssued = "temporary-proof.issued"
        /// A second factor is still required.
        case firstFactor = "session.first-factor-verified"
        case passwordReset = "account.password-reset"
        case emailVerified = "account.email-verified"
        /// The reader of the address did not create the account: its sign-in methods were removed.
        case emailVerificationRejected = "account.email-verification-rejected"
        case emailRecovered = "account.email-recovered"
        case factorEnrolled = "account.factor-enrolled"
        case factorWithdrawn = "account.factor-withdrawn"
        case factorReverted = "account.factor-reverted"
        case passkeyAdded = "account.passkey-added"
        /// The signature counter of a passkey did not increase: it may have been copied.
        case passkeyCounterRegressed = "passkey.counter-regressed"
        case passkeyReverted = "account.passkey-reverted"
        case recoveryCodesGenerated = "account.recovery-codes-generated"
        /// A sign-in that used a recovery code.
        case recoveryCodeUsed = "session.recovery-code-used"
        /// With another application, redirect address or verifier than its own, too late, or after its session.
        case authorizationCodeRefused = "authorization-code.refused"
        /// A second time: the session that it had opened has ended.
        case authorizationCodeReplayed = "authorization-code.replayed"
        /// A device of the account is not asked for a second factor any more.
        case deviceRemembered = "account.device-remembered"
        case deviceForgotten = "account.device-forgotten"
        case actionCodeIssued = "action-code.issued"
        case signIn = "session.created"
        case sessionEnded = "session.ended"
        case sessionReuse = "refresh-token.replayed"
        /// The wrong passwords for the address of an account are forgotten.
        case attemptsCleared = "account.attempts-cleared"
        /// A role in a project or in the installation; `accountID` is the operator's.
        case operatorGranted = "operator.role-granted"
        /// What the operator signs in with was removed.
        case operatorReset = "operator.reset"
        /// The operator, or a role.
        case operatorRemoved = "operator.removed"
        case operatorSessionOpened = "operator-session.created"
        case operatorSessionEnded = "operator-session.ended"
        /// A process sent a request that its key of the bus does not permit. The log of the service names the operation.
        case callerRefused = "bus.caller-refused"
    }

    enum Outcome: String, Sendable {
        case succeeded = "done", refused
        /// Refused by a limit before it was evaluated.
        case rateLimited = "limited"
    }

    enum Actor: Equatable, Sendable {
        case account(AccountID)
        case administrator
        /// By the login name behind the operator's command.
        case `operator`(String)
        /// By its e-mail address.
        case serviceAccount(String)
        /// By its name in the table of peers.
        case process(String)
        /// An unauthenticated caller.
        case anonymous
        case system

        var text: String {
            switch self {
            case .account(let id): "account:\(id)"
            case .administrator: "administrator"
            case .operator(let name): "operator:\(name)"
            case .serviceAccount(let email): "service-account:\(email)"
            case .process(let name): "process:\(name)"
            case .anonymous: "anonymous"
            case .system: "system"
            }
        }
    }
}

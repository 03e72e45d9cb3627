import Contracts
import PasswordFilter
import Vocabulary

/// What the components of the service work with. `IdentityProgram` builds it, and each component keeps it whole.
struct IdentityContext: Sendable {
    var now: @Sendable () -> Moment
    var randomBytes: @Sendable (_ count: Int) -> [UInt8]
    var store: IdentityStore
    var projects: ProjectCache
    var keys: SigningKeyRing
    var idTokens: IDTokenIssuer
    var hasher: PasswordHasher
    var attemptLimiter = AttemptConcurrencyLimiter()
    /// Nil in dev mode, where no limit is per network.
    var oldHashBudgets: OldHashBudgetLimiter?
    /// The highest cost of bcrypt hashes that an import accepts.
    var importBcryptCost = PasswordHashAlgorithm.standardBcryptCost
    /// Publishes to the other processes. A lost event only delays them.
    var publish: @Sendable (BusEvent) -> Void
    /// Called after e-mails were committed: wakes the loop of `EmailOutbox`.
    var wakeEmailLoop: @Sendable () -> Void
    /// Logs the error in a project's own e-mail text when the standard text is sent instead.
    var reportTemplate: @Sendable (EmailTemplateError, TraceContext) -> Void
    /// The page of this installation that action links open.
    var actionPage: WebURL
    var isDev: Bool
    /// How long a redeemed refresh token remains valid.
    var refreshGrace: Duration
    var auditRetention = AuditRetention.standard
    /// E-mails of a project per day that its users may request; nil for no limit.
    var emailsPerProject: Int?
    /// The filter of widely used passwords.
    var passwordFilter = PasswordFilter.standard
    /// The addresses of the service accounts that may read password hashes.
    var passwordHashReaders: Set<String> = []
    var blockingFunctionClient: BlockingFunctionClient
    var blockingFunctionMetrics: BlockingFunctionMetrics
    /// Blocking functions are called for anonymous users, custom tokens and links of a password, too.
    var blockingFunctionsCoverEverySignIn: Bool
}

/// A handler of operations, or a component that several handlers use. It is a value that is made where it is used; all state
/// is in the context.
protocol IdentityComponent: Sendable {
    var context: IdentityContext { get }
}

// MARK: - What most components use

extension IdentityComponent {
    var now: @Sendable () -> Moment { context.now }
    var randomBytes: @Sendable (_ count: Int) -> [UInt8] { context.randomBytes }
    var store: IdentityStore { context.store }
    var projects: ProjectCache { context.projects }
    var keys: SigningKeyRing { context.keys }
    var idTokens: IDTokenIssuer { context.idTokens }
    var hasher: PasswordHasher { context.hasher }
    var publish: @Sendable (BusEvent) -> Void { context.publish }
    var wakeEmailLoop: @Sendable () -> Void { context.wakeEmailLoop }
    var isDev: Bool { context.isDev }

    var sessions: SessionIssuer { .init(context: context) }
    var authenticator: SessionAuthenticator { .init(context: context) }
    var pendingSignIns: PendingSignInResolver { .init(context: context) }
    var verification: PasswordVerification { .init(context: context) }
    var newPasswords: NewPasswordHasher { .init(context: context) }
    var updater: AccountUpdater { .init(context: context) }
    var codes: ActionCodeIssuer { .init(context: context) }
    var notices: AccountNotices { .init(context: context) }
    var blockingFunctions: BlockingFunctionCaller { .init(context: context) }
}

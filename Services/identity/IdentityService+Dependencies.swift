package import Contracts
package import PasswordFilter
package import Vocabulary

extension IdentityService {
    /// The components that `IdentityProgram` builds. The service gives each handler those that it needs.
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: IdentityStore
        package var projects: ProjectCache
        package var keys: SigningKeyRing
        package var tokens: IDTokenIssuer
        package var passwords: PasswordHasher
        package var attemptLimiter: AttemptConcurrencyLimiter
        /// The highest cost of bcrypt hashes that an import accepts.
        package var importBcryptCost: Int
        /// Publishes to the other processes. A lost event only delays them.
        package var publish: @Sendable (BusEvent) -> Void
        /// Called after mails were committed: wakes `MailDispatcher`.
        package var wakeMailDispatcher: @Sendable () -> Void
        /// Logs the error in a project's own mail text when the standard text is sent instead.
        package var reportTemplate: @Sendable (EmailTemplateError, TraceContext) -> Void
        /// The page of this installation that action links open.
        package var actionPage: WebURL
        package var isDev: Bool
        /// How long a redeemed refresh token remains valid.
        package var refreshGrace: Duration
        package var auditRetention: AuditRetention
        /// E-mails of a project per day that its users may request; nil for no limit.
        package var emailsPerProject: Int?
        /// The filter of widely used passwords.
        package var passwordFilter: PasswordFilter
        /// The addresses of the service accounts that may read password hashes.
        package var passwordHashReaders: Set<String>
        package var blockingFunctions: BlockingFunctionClient
        package var blockingFunctionMetrics: BlockingFunctionMetrics
        /// Blocking functions are called for anonymous users, custom tokens and links of a password, too.
        package var blockingFunctionsCoverEverySignIn: Bool

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: IdentityStore, projects: ProjectCache, keys: SigningKeyRing, tokens: IDTokenIssuer,
            passwords: PasswordHasher,
            attemptLimiter: AttemptConcurrencyLimiter, importBcryptCost: Int? = nil,
            publish: @escaping @Sendable (BusEvent) -> Void,
            wakeMailDispatcher: @escaping @Sendable () -> Void,
            reportTemplate: @escaping @Sendable (EmailTemplateError, TraceContext) -> Void, actionPage: WebURL,
            isDev: Bool, refreshGrace: Duration, auditRetention: AuditRetention = .standard,
            emailsPerProject: Int?,
            passwordFilter: PasswordFilter = .standard, passwordHashReaders: Set<String> = [],
            blockingFunctions: BlockingFunctionClient, blockingFunctionMetrics: BlockingFunctionMetrics,
            blockingFunctionsCoverEverySignIn: Bool
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.projects = projects
            self.keys = keys
            self.tokens = tokens
            self.passwords = passwords
            self.attemptLimiter = attemptLimiter
            self.importBcryptCost = importBcryptCost ?? PasswordHashAlgorithm.standardBcryptCost
            self.publish = publish
            self.wakeMailDispatcher = wakeMailDispatcher
            self.reportTemplate = reportTemplate
            self.actionPage = actionPage
            self.isDev = isDev
            self.refreshGrace = refreshGrace
            self.auditRetention = auditRetention
            self.emailsPerProject = emailsPerProject
            self.passwordFilter = passwordFilter
            self.passwordHashReaders = passwordHashReaders
            self.blockingFunctions = blockingFunctions
            self.blockingFunctionMetrics = blockingFunctionMetrics
            self.blockingFunctionsCoverEverySignIn = blockingFunctionsCoverEverySignIn
        }
    }
}

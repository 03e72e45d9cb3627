package import Contracts
package import DatabaseService
import FoundationEssentials
package import PasswordFilter
import ServiceAccountFile
package import ServiceRuntime
import Settings
package import Vocabulary

/// The settings of the identity service, from its environment.
package struct IdentitySettings: Sendable {
    package var common: DatabaseServiceSettings
    /// The API key of the operator's project; generated when it is not set.
    package var apiKey: String?
    /// Dev mode only: ID tokens without signature.
    package var usesUnsignedTokens: Bool
    /// Dev mode only: keys that are registered at the start.
    package var devServiceAccounts: [Identity.ServiceAccountKey]
    /// Threads that hash passwords concurrently.
    package var passwordThreads: Int
    /// The highest cost of imported bcrypt hashes.
    package var importBcryptCost: Int
    /// How long a redeemed refresh token remains valid while its successor is unused.
    package var refreshGrace: Duration
    /// The filter of widely used passwords.
    package var passwordFilter: PasswordFilter
    /// The addresses of the service accounts that may read password hashes.
    package var passwordHashReaders: Set<String>
    /// How long the audit log keeps its rows.
    package var auditRetention: AuditRetention
    /// E-mails of a project per day that its users may request; nil for no limit.
    package var emailsPerProject: Int?
    /// Hosts of blocking functions that may have private addresses, in lower case.
    package var blockingFunctionPrivateHosts: Set<String>
    /// Also for anonymous users, custom tokens and links of a password.
    package var blockingFunctionsCoverEverySignIn: Bool
    /// The page that links in e-mails open, below `LATCHKEY_PUBLIC_URL`.
    package var actionPage: WebURL

    /// - Throws: one error with every missing or malformed setting.
    package init(_ environment: Environment, processors: Int) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.identity))
        common = DatabaseServiceSettings(.identity, from: &reader)
        apiKey = reader.optionalString(.apiKey)
        usesUnsignedTokens = reader.boolean(.emulatorTokens)
        passwordThreads = reader.integer(.passwordThreads, default: processors)
        importBcryptCost = reader.integer(
            .importBcryptCost, default: PasswordHashAlgorithm.standardBcryptCost)
        refreshGrace = reader.duration(.refreshGrace, default: Session.defaultGrace)
        let emailsPerProject = reader.integer(.emailPerProjectPerDay, default: EmailQuota.perProject)
        self.emailsPerProject = emailsPerProject == 0 ? nil : emailsPerProject
        auditRetention = AuditRetention(
            acts: Self.retention(.auditRetention, AuditRetention.standard.acts, &reader),
            refusals: Self.retention(.auditRefusalRetention, AuditRetention.standard.refusals, &reader))
        passwordFilter = reader.value(
            .passwordFilter, default: PasswordFilter.standard, placeholder: PasswordFilter.standard,
            expects: "the path of a filter that `latchkey password-filter` made",
            example: "/etc/latchkey/passwords.filter"
        ) { path in
            // `try?`: the error message names the file.
            (try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)).flatMap(PasswordFilter.init)
        }
        passwordHashReaders = Set(
            reader.list(.passwordHashReaders, default: [], example: "export@example.iam.gserviceaccount.com"))
        blockingFunctionPrivateHosts = reader.hostNames(
            .blockingFunctionPrivateHosts, example: "hooks.internal.example.com")
        blockingFunctionsCoverEverySignIn = reader.boolean(.blockingFunctionsForEverySignIn)
        devServiceAccounts = []
        for path in reader.list(.devServiceAccounts, default: [], example: "service-account.json") {
            do throws(ServiceAccountFileError) {
                devServiceAccounts.append(try ServiceAccountFile(path: path).key)
            } catch {
                reader.addIssue(
                    .devServiceAccounts, "names a file that cannot be used: \(error)",
                    remedy: "Name key files of service accounts, separated by commas")
            }
        }
        if !devServiceAccounts.isEmpty, !common.process.isDev {
            reader.addIssue(
                .devServiceAccounts, "is allowed in dev mode only",
                remedy: "Remove it, and register them with `latchkey service-account add`")
        }
        let publicURL = reader.requiredPublicURL(default: common.process.isDev ? "http://127.0.0.1:9099" : nil)
        // In dev mode links act on GET, as test tools expect (REST 6).
        let page = publicURL + (common.process.isDev ? "/emulator/action" : "/__/auth/action")
        // Never nil: the origin was validated, and a host has at most 253 bytes.
        guard let actionPage = WebURL(page) else { preconditionFailure("\(page) is no URL") }
        self.actionPage = actionPage
        if usesUnsignedTokens, !common.process.isDev {
            reader.addIssue(
                .emulatorTokens, "turns signatures off, which only development allows",
                remedy: "Remove it, or start with --dev")
        }
        if let apiKey, !(1...128).contains(apiKey.utf8.count) {
            reader.addIssue(.apiKey, "is empty or too long", remedy: "Use 20 to 128 letters and digits")
        }
        try reader.finish()
    }

    private static func retention(
        _ setting: Setting, _ standard: Duration, _ reader: inout SettingsReader
    ) -> Duration {
        let retention = reader.duration(setting, default: standard)
        if retention < .seconds(86_400) {
            reader.addIssue(setting, "is shorter than a day", remedy: "Set it to 1d or more")
        }
        return retention
    }
}

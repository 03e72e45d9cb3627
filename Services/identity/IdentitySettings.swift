package import Contracts
import FoundationEssentials
package import MasterKey
package import PasswordFilter
import ServiceAccountFile
package import ServiceRuntime
package import Storage
package import Vocabulary

/// What the identity service reads from its environment.
package struct IdentitySettings: Sendable {
    package var common: CommonSettings
    package var storage: StorageSettings
    package var masterKey: MasterKeyPlace
    /// The API key of the operator's project; made at random when it is not set.
    package var apiKey: String?
    /// Dev mode only: ID tokens without signature.
    package var usesUnsignedTokens: Bool
    /// Dev mode only: keys that are registered at the start.
    package var devServiceAccounts: [Identity.ServiceAccountKey]
    /// Threads that hash passwords at a time.
    package var passwordThreads: Int
    /// How long a spent refresh token is good again while its successor is unused.
    package var refreshGrace: Duration
    /// Of widely used passwords.
    package var passwordFilter: PasswordFilter
    /// How long the audit log keeps its rows.
    package var auditRetention: AuditRetention
    /// The page that links in e-mails open, below `LATCHKEY_PUBLIC_URL`.
    package var actionPage: WebURL

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment, processors: Int) throws(SettingsFaults) {
        var reader = SettingsReader(environment)
        common = CommonSettings(.identity, from: &reader)
        storage = StorageSettings(.identity, from: &reader, dataDirectory: common.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: common.dataDirectory)
        apiKey = reader.optionalString("LATCHKEY_API_KEY")
        usesUnsignedTokens = reader.boolean("LATCHKEY_EMULATOR_TOKENS")
        passwordThreads = reader.integer("LATCHKEY_PASSWORD_THREADS", default: processors, in: 1...256)
        refreshGrace = reader.duration(
            "LATCHKEY_REFRESH_GRACE", default: Session.defaultGrace, atMost: .seconds(24 * 60 * 60))
        auditRetention = AuditRetention(
            acts: Self.retention("LATCHKEY_AUDIT_RETENTION", AuditRetention.standard.acts, &reader),
            refusals: Self.retention("LATCHKEY_AUDIT_REFUSAL_RETENTION", AuditRetention.standard.refusals, &reader))
        passwordFilter = reader.value(
            "LATCHKEY_PASSWORD_FILTER", default: PasswordFilter.standard, standIn: PasswordFilter.standard,
            expects: "the path of a filter that `latchkey password-filter` made",
            example: "/etc/latchkey/passwords.filter"
        ) { path in
            // `try?`: the operator hears which file it is.
            (try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)).flatMap(PasswordFilter.init)
        }
        devServiceAccounts = []
        for path in reader.list("LATCHKEY_DEV_SERVICE_ACCOUNTS", default: [], example: "service-account.json") {
            do throws(ServiceAccountFileFault) {
                devServiceAccounts.append(try ServiceAccountFile(path: path).key)
            } catch {
                reader.fault(
                    "LATCHKEY_DEV_SERVICE_ACCOUNTS", "names a file that cannot be used: \(error)",
                    remedy: "Name key files of service accounts, separated by commas")
            }
        }
        if !devServiceAccounts.isEmpty, !common.isDev {
            reader.fault(
                "LATCHKEY_DEV_SERVICE_ACCOUNTS", "is for development, where everybody may do everything",
                remedy: "Remove it, and register them with `latchkey service-account add`")
        }
        let publicURL = reader.requiredPublicURL(default: common.isDev ? "http://127.0.0.1:9099" : nil)
        // In dev mode links act at once, as test tools expect (wire-protocol 6).
        let page = publicURL + (common.isDev ? "/emulator/action" : "/__/auth/action")
        // Not nil: a path added to what was read as an origin, and a host has no more than 253 bytes.
        guard let actionPage = WebURL(page) else { preconditionFailure("\(page) is no URL") }
        self.actionPage = actionPage
        if usesUnsignedTokens, !common.isDev {
            reader.fault(
                "LATCHKEY_EMULATOR_TOKENS", "turns signatures off, which only development allows",
                remedy: "Remove it, or start with --dev")
        }
        if let apiKey, !(1...128).contains(apiKey.utf8.count) {
            reader.fault("LATCHKEY_API_KEY", "is empty or too long", remedy: "Use 20 to 128 letters and digits")
        }
        try reader.finish()
    }

    private static func retention(_ name: String, _ standard: Duration, _ reader: inout SettingsReader) -> Duration {
        let retention = reader.duration(name, default: standard, atMost: .seconds(3650 * 86_400))
        if retention < .seconds(86_400) {
            reader.fault(name, "is shorter than a day", remedy: "Set it to 1d or more")
        }
        return retention
    }

    package static let help =
        StorageSettings.help(.identity) + MasterKeyPlace.help + [
            Program.Setting("LATCHKEY_API_KEY", "API key of the project (default: made at random on the first start)"),
            Program.Setting("LATCHKEY_PUBLIC_URL", "where the world finds the gateway, for links in e-mails"),
            Program.Setting(
                "LATCHKEY_REFRESH_GRACE",
                "how long a spent refresh token is good again while its successor is unused (default: 1h)"),
            Program.Setting(
                "LATCHKEY_PASSWORD_FILTER", "passwords that nobody may choose (default: a list of common ones)"),
            Program.Setting("LATCHKEY_AUDIT_RETENTION", "how long the audit log keeps what was done (400d)"),
            Program.Setting("LATCHKEY_AUDIT_REFUSAL_RETENTION", "the same for what was refused (30d)"),
            Program.Setting("LATCHKEY_PASSWORD_THREADS", "passwords hashed at a time (default: one per processor)"),
            Program.Setting(
                "LATCHKEY_DEV_SERVICE_ACCOUNTS", "key files of service accounts to register, in dev mode only"),
            Program.Setting("LATCHKEY_EMULATOR_TOKENS", "1: ID tokens without signature, in dev mode only"),
        ]
}

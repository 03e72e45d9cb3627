package import Contracts
package import MasterKey
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
    /// The page that links in e-mails open; nil in production without `LATCHKEY_PUBLIC_URL`.
    package var actionPage: WebURL?

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

    package static let help =
        StorageSettings.help(.identity) + MasterKeyPlace.help + [
            Program.Setting("LATCHKEY_API_KEY", "API key of the project (default: made at random on the first start)"),
            Program.Setting("LATCHKEY_PUBLIC_URL", "where the world finds the gateway, for links in e-mails"),
            Program.Setting(
                "LATCHKEY_REFRESH_GRACE",
                "how long a spent refresh token is good again while its successor is unused (default: 1h)"),
            Program.Setting("LATCHKEY_PASSWORD_THREADS", "passwords hashed at a time (default: one per processor)"),
            Program.Setting(
                "LATCHKEY_DEV_SERVICE_ACCOUNTS", "key files of service accounts to register, in dev mode only"),
            Program.Setting("LATCHKEY_EMULATOR_TOKENS", "1: ID tokens without signature, in dev mode only"),
        ]
}

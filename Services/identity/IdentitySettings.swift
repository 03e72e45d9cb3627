import Contracts
package import MasterKey
package import ServiceRuntime
package import Storage

/// What the identity service reads from its environment.
package struct IdentitySettings: Sendable {
    package var common: CommonSettings
    package var storage: StorageSettings
    package var masterKey: MasterKeyPlace
    /// The API key of the operator's project; made at random when it is not set.
    package var apiKey: String?
    /// Dev mode only: ID tokens without signature.
    package var usesUnsignedTokens: Bool
    /// Threads that hash passwords at a time.
    package var passwordThreads: Int

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment, processors: Int) throws(SettingsFaults) {
        var reader = SettingsReader(environment)
        common = CommonSettings(.identity, from: &reader)
        storage = StorageSettings(.identity, from: &reader, dataDirectory: common.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: common.dataDirectory)
        apiKey = reader.optionalString("LATCHKEY_API_KEY")
        usesUnsignedTokens = reader.boolean("LATCHKEY_EMULATOR_TOKENS")
        passwordThreads = reader.integer("LATCHKEY_PASSWORD_THREADS", default: processors, in: 1...256)
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
            Program.Setting("LATCHKEY_PASSWORD_THREADS", "passwords hashed at a time (default: one per processor)"),
            Program.Setting("LATCHKEY_EMULATOR_TOKENS", "1: ID tokens without signature, in dev mode only"),
        ]
}

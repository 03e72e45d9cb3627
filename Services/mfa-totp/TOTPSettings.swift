import Contracts
package import MasterKey
package import ServiceRuntime
import Settings
package import Storage

/// What mfa-totp reads from its environment.
package struct TOTPSettings: Sendable {
    package var common: CommonSettings
    package var storage: StorageSettings
    package var masterKey: MasterKeyPlace

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsFaults) {
        var reader = SettingsReader(environment, of: .service(.mfaTOTP))
        common = CommonSettings(.mfaTOTP, from: &reader)
        storage = StorageSettings(.mfaTOTP, from: &reader, dataDirectory: common.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: common.dataDirectory)
        try reader.finish()
    }
}

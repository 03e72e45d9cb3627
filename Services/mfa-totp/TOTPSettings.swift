import Contracts
package import MasterKey
package import ServiceRuntime
import Settings
package import Storage

/// The settings of mfa-totp.
package struct TOTPSettings: Sendable {
    package var process: ProcessSettings
    package var storage: StorageSettings
    package var masterKey: MasterKeySource

    /// - Throws: one error with every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.mfaTOTP))
        process = ProcessSettings(.mfaTOTP, from: &reader)
        storage = StorageSettings(.mfaTOTP, from: &reader, dataDirectory: process.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: process.dataDirectory)
        try reader.finish()
    }
}

package import Contracts
package import MasterKey
package import ServiceRuntime
import Settings
package import Storage

/// The settings that every service with a database has.
package struct DatabaseServiceSettings: Sendable {
    package let process: ProcessSettings
    package let storage: StorageSettings
    package let masterKey: MasterKeySource

    /// Reads these settings together with a service's own, so that the errors of both are reported at once.
    package init(_ service: ServiceName, from reader: inout SettingsReader) {
        process = ProcessSettings(service, from: &reader)
        storage = StorageSettings(service, from: &reader, dataDirectory: process.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: process.dataDirectory)
    }

    /// For a service that has no other settings.
    /// - Throws: one error with every missing or malformed setting.
    package init(_ service: ServiceName, _ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(service))
        self.init(service, from: &reader)
        try reader.finish()
    }
}

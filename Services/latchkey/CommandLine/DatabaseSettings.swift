import Contracts
import MasterKey
import ServiceRuntime
import Settings
import Storage

/// The databases of the services, for commands that open them: the same variables as for the services.
struct DatabaseSettings: Sendable {
    /// Of every service that owns data, in the order in which they are backed up. See `Backup`.
    let stores: [StorageSettings]
    private(set) var dataDirectory: String
    private let masterKeySettings: MasterKeySettings

    /// - Throws: every missing or malformed setting.
    init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .latchkey)
        let isDev = reader.boolean(.dev)
        let directory = reader.string(
            .data, default: isDev ? ProcessSettings.devDataDirectory : nil, example: "/var/lib/latchkey")
        dataDirectory = directory
        masterKeySettings = MasterKeySettings(from: &reader)
        var stores: [StorageSettings] = []
        for service in ServiceName.allCases where service.ownsData {
            stores.append(
                StorageSettings(
                    service, from: &reader, dataDirectory: DataDirectory.place(of: service, in: directory)))
        }
        self.stores = stores
        try reader.finish()
    }

    var masterKey: MasterKeySource { masterKeySettings.place(dataDirectory: dataDirectory) }

    /// The same with the absolute path of the data directory, which must exist.
    func inExistingDirectory() throws(LauncherError) -> DatabaseSettings {
        var settings = self
        settings.dataDirectory = try DataDirectory.existing(dataDirectory)
        return settings
    }
}

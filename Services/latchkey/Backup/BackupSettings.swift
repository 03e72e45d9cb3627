import Contracts
import MasterKey
import ServiceRuntime
import Settings
import Storage

/// The settings of `latchkey backup` and `latchkey restore`: the same variables as for the services.
struct BackupSettings: Sendable {
    /// For the help of both commands.
    static let discussion = """
        The command finds the databases by the variables that the services read: LATCHKEY_DATA, LATCHKEY_DATABASE_URL and \
        LATCHKEY_<SERVICE>_DATABASE_URL. A backup fits into either engine. The master key is in no backup: keep a copy of \
        it elsewhere.
        """

    /// In the order in which they are backed up. See `Backup`.
    var stores: [StorageSettings]
    var dataDirectory: String
    var masterKey: MasterKeySource

    /// - Throws: every missing or malformed setting.
    init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .latchkey)
        let isDev = reader.boolean(.dev)
        let directory = reader.string(
            .data, default: isDev ? ProcessSettings.devDataDirectory : nil, example: "/var/lib/latchkey")
        dataDirectory = directory
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: directory)
        var stores: [StorageSettings] = []
        for service in ServiceName.allCases where service.ownsData {
            stores.append(StorageSettings(service, from: &reader, dataDirectory: directory))
        }
        self.stores = stores
        try reader.finish()
    }
}

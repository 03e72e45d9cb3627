internal import Contracts
internal import Glibc
internal import SQL
internal import SQLite
internal import ServiceRuntime

/// The database of one service, wherever the settings put it.
struct ServiceStore: Sendable {
    let service: ServiceName
    let path: String

    /// As the manifest names it.
    var engine: String { "sqlite" }

    /// Whether it can have anything in it. To open a file makes it, which a backup must not.
    var mayBeThere: Bool { access(path, F_OK) == 0 }

    func open() async throws -> any SQLDatabase {
        try SQLiteDatabase(.file(path), readers: 1)
    }
}

/// What `latchkey backup` and `latchkey restore` read from the environment: the same as the services.
struct BackupSettings: Sendable {
    /// In the order in which they are backed up. See `Backup`.
    var stores: [ServiceStore]
    var dataDirectory: String
    var masterKeyFile: String

    /// - Throws: everything that is missing or malformed.
    init(_ environment: Environment) throws(SettingsFaults) {
        var reader = SettingsReader(environment)
        let isDev = reader.boolean("LATCHKEY_DEV")
        let directory = reader.string(
            "LATCHKEY_DATA", default: isDev ? CommonSettings.devDataDirectory : nil, example: "/var/lib/latchkey")
        dataDirectory = directory
        masterKeyFile = reader.string(
            "LATCHKEY_MASTER_KEY_FILE", default: directory + "/master.key", example: "/etc/latchkey/master.key")
        stores = ServiceName.allCases.filter(\.ownsData).map { service in
            ServiceStore(service: service, path: "\(directory)/\(service.rawValue).sqlite")
        }
        try reader.finish()
    }
}

package import Contracts

/// The location of the data and its master key.
extension Setting {
    package static let databaseURL = Setting(
        "LATCHKEY_DATABASE_URL", .url, readBy: Set<SettingsProcess>.databaseOwners.union([.latchkey]), isSecret: true,
        default: .value("sqlite:"),
        example: "postgres://latchkey:secret@db.example.com/latchkey?sslmode=verify-full",
        "Where services keep their data: `sqlite:`, which is a file for each service in LATCHKEY_DATA, or a PostgreSQL "
            + "database",
        "Percent-encode what is not a letter or digit in the password.")

    /// The database of one service only.
    package static func databaseURL(of service: ServiceName) -> Setting {
        let word = String(service.rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
        return Setting(
            "LATCHKEY_\(word)_DATABASE_URL", .url, readBy: [.latchkey, .service(service)], isSecret: true,
            default: .described("LATCHKEY_DATABASE_URL"),
            example: "postgres://latchkey:secret@db.example.com/latchkey",
            "The database of \(service.rawValue) alone",
            "`sqlite:/path/of/file` is allowed too.")
    }

    package static let databaseConnections = Setting(
        "LATCHKEY_DATABASE_CONNECTIONS", .integer(2...64),
        readBy: Set<SettingsProcess>.databaseOwners.union([.latchkey]), default: .value("8"),
        "How many connections to PostgreSQL each process with a database opens at most",
        "A process opens them when it has work and closes those that are idle. Without effect on SQLite.")

    package static let masterKeyFile = Setting(
        "LATCHKEY_MASTER_KEY_FILE", .path, readBy: Set<SettingsProcess>.databaseOwners.union([.latchkey]),
        default: .described("master.key in LATCHKEY_DATA"), example: "/etc/latchkey/master.key",
        "File of the master key, mode 0400",
        "`latchkey up` creates it at the very first start. Back it up, apart from the databases.")

    package static let masterKey = Setting(
        "LATCHKEY_MASTER_KEY", .text, readBy: Set<SettingsProcess>.databaseOwners.union([.latchkey]), isSecret: true,
        "The master key itself, instead of a file",
        "It can hold several keys with a space between them: the first seals, all open.")
}

extension SettingsCatalogue {
    static let storage: [Setting] =
        [.masterKeyFile, .masterKey, .databaseURL, .databaseConnections]
        + ServiceName.allCases.filter(\.ownsData).map { .databaseURL(of: $0) }
}

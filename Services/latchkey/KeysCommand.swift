internal import Contracts
internal import Glibc
internal import MasterKey
internal import SQL
internal import ServiceRuntime
internal import Storage

/// `latchkey keys`: what the master keys open, and their rotation.
struct KeysCommand: Sendable {
    enum Action: Equatable, Sendable {
        case list
        case rotateMaster(KeyRotation.Options)
    }

    let action: Action
    private let environment: Environment

    private enum Option: String, CaseIterable {
        case dev, data
        case keepOld = "keep-old"
        case waitOnly = "wait-only"
    }

    /// Reads `list` or `rotate-master`, and options. `--name value` and `--name=value` are both understood.
    init(_ arguments: [String], over environment: Environment) throws(UsageFailure) {
        var rest = arguments[...]
        let word = rest.popFirst() ?? ""
        var changes: [String: String?] = [:]
        var rotation = KeyRotation.Options()
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard argument.hasPrefix("--"), let option = Option(rawValue: String(parts[0].dropFirst(2))) else {
                throw UsageFailure("latchkey keys takes no \(Self.quoted(argument)).")
            }
            guard option == .data || parts.count == 1 else { throw UsageFailure("--\(option.rawValue) stands alone.") }
            switch option {
            case .dev: changes["LATCHKEY_DEV"] = "1"
            case .keepOld: rotation.keepsOldKeys = true
            case .waitOnly: rotation.onlyWaits = true
            case .data:
                guard let path = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !path.isEmpty else {
                    throw UsageFailure("--data wants DIR.")
                }
                changes["LATCHKEY_DATA"] = path
            }
        }
        self.environment = environment.changing(changes)
        switch word {
        case "rotate-master": action = .rotateMaster(rotation)
        case "list" where rotation == KeyRotation.Options(): action = .list
        case "list": throw UsageFailure("latchkey keys list only looks.")
        case "": throw UsageFailure("latchkey keys wants list or rotate-master.")
        default: throw UsageFailure("There is no command \(Self.quoted("keys " + word)).")
        }
    }

    /// - Throws: a sentence for the operator.
    func run() async throws {
        // Whatever stops it, a rotation goes on where it was: nothing has to be put in order first.
        Task {
            for await _ in ProcessSignals.stopRequests() { _exit(ExitCode.failure) }
        }
        let settings = try KeysSettings(environment)
        let keys = try MasterKeys(settings.masterKey)
        let databases = try await SealedDatabase.all(in: settings.stores, keys: keys)
        switch action {
        case .list:
            print(KeyList.text(of: keys.ring, try await KeyList.census(of: databases)))
        case .rotateMaster(let options):
            if !DataDirectory.isInUse(settings.dataDirectory) {
                Self.tell("No mesh runs on \(settings.dataDirectory). This command re-seals without it.")
            }
            try await KeyRotation(keys, databases, options, tell: Self.tell).run()
        }
        for database in databases { await database.close() }
    }

    private static func tell(_ line: String) {
        print(line)
        fflush(nil)  // A reader on a pipe follows the progress.
    }

    private static func quoted(_ text: String) -> String { "\"\(LogText.escaped(text, maximumBytes: 100))\"" }

    static let help = """
        latchkey keys list            the master keys, and how many records each of them opens
        latchkey keys rotate-master   makes a new master key, seals everything anew under it while the mesh works,
                                      and removes the old ones

        Options, with the variables beside them:

          --data DIR    LATCHKEY_DATA   data directory (default in dev: .latchkey)
          --dev         LATCHKEY_DEV    the mesh is one of development
          --keep-old                    leaves the old keys in the file
          --wait-only                   makes no new key: for one that you have put there yourself

        The keys are those of LATCHKEY_MASTER_KEY_FILE (default: master.key in the data directory) or LATCHKEY_MASTER_KEY.
        A rotation that was interrupted is finished by the next one.
        """
}

/// What `latchkey keys` reads from its environment.
struct KeysSettings: Sendable {
    /// Absolute.
    let dataDirectory: String
    let masterKey: MasterKeyPlace
    /// Of every service that keeps anything.
    let stores: [StorageSettings]

    init(_ environment: Environment) throws {
        var reader = SettingsReader(environment)
        let isDev = reader.boolean("LATCHKEY_DEV")
        let path = reader.string(
            "LATCHKEY_DATA", default: isDev ? CommonSettings.devDataDirectory : nil, example: "/var/lib/latchkey")
        let masterKey = MasterKeySettings(from: &reader)
        var stores: [StorageSettings] = []
        for service in ServiceName.allCases where service.ownsData {
            stores.append(StorageSettings(service, from: &reader, dataDirectory: path))
        }
        self.stores = stores
        try reader.finish()
        dataDirectory = try DataDirectory.existing(path)
        self.masterKey = masterKey.place(dataDirectory: dataDirectory)
    }
}

/// The database of one service, with everything sealed in it.
struct SealedDatabase: Sendable {
    let service: ServiceName
    let records: SealedRecords
    private let database: any SQLDatabase

    /// Of every service that has sealed anything yet.
    /// - Throws: `KeysFailure.undeclared`, `SQLError`.
    static func all(in stores: [StorageSettings], keys: MasterKeys) async throws -> [SealedDatabase] {
        var all: [SealedDatabase] = []
        for store in stores {
            guard let database = try await store.openForCopying(makes: false) else { continue }
            do {
                guard
                    let records = try await SealedRecords.declared(
                        in: database, keys: SealingKeys(keys, of: store.service))
                else {
                    await database.close()
                    continue
                }
                all.append(SealedDatabase(service: store.service, records: records, database: database))
            } catch let fault as SealedRecordsFault {
                throw KeysFailure.undeclared(store.service, fault)
            }
        }
        return all
    }

    func close() async { await database.close() }
}

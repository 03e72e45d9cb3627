internal import Contracts
internal import Glibc
internal import MasterKey
internal import ServiceRuntime
internal import Settings
internal import Storage

/// `latchkey keys`: lists the master keys with their records, and rotates them.
struct KeysCommand: Sendable {
    enum Action: Equatable, Sendable {
        case list
        case rotateMaster(KeyRotation.Options)
        /// Deletes the former key with this id.
        case deleteFormer(String)
    }

    let action: Action
    private let environment: Environment

    private enum Option: String, CaseIterable {
        case dev, data
        case keepOld = "keep-old"
        case waitOnly = "wait-only"
    }

    /// Parses `list`, `rotate-master` or `delete-former ID`, and options: `--name value` and `--name=value`.
    init(_ arguments: [String], over environment: Environment) throws(UsageError) {
        var rest = arguments[...]
        let word = rest.popFirst() ?? ""
        var changes: [Setting: String?] = [:]
        var rotation = KeyRotation.Options()
        var id: String?
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if word == "delete-former", id == nil, !argument.hasPrefix("-") {
                id = argument
                continue
            }
            guard argument.hasPrefix("--"), let option = Option(rawValue: String(parts[0].dropFirst(2))) else {
                throw UsageError("latchkey keys takes no \(Self.quoted(argument)).")
            }
            guard option == .data || parts.count == 1 else { throw UsageError("--\(option.rawValue) takes no value.") }
            switch option {
            case .dev: changes[.dev] = "1"
            case .keepOld: rotation.keepsOldKeys = true
            case .waitOnly: rotation.waitsOnly = true
            case .data:
                guard let path = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !path.isEmpty else {
                    throw UsageError("--data requires DIR.")
                }
                changes[.data] = path
            }
        }
        self.environment = environment.changing(changes)
        switch word {
        case "rotate-master": action = .rotateMaster(rotation)
        case "list" where rotation == KeyRotation.Options(): action = .list
        case "delete-former" where rotation == KeyRotation.Options():
            guard let id else { throw UsageError("latchkey keys delete-former requires the ID of a key.") }
            action = .deleteFormer(id)
        case "delete-former": throw UsageError("latchkey keys delete-former takes an id, and no other option.")
        case "list": throw UsageError("latchkey keys list only looks.")
        case "": throw UsageError("latchkey keys requires a subcommand: list, rotate-master or delete-former.")
        default: throw UsageError("There is no command \(Self.quoted("keys " + word)).")
        }
    }

    /// - Throws: an error with a message for the operator.
    func run() async throws {
        // An interrupted rotation continues at its step when it runs again, so no cleanup is needed.
        Task {
            for await _ in ProcessSignals.stopRequests() { _exit(ExitCode.failure) }
        }
        let settings = try KeysSettings(environment)
        let keys = try ReloadingMasterKeyRing(settings.masterKey)
        let databases = try await SealedDatabases(in: settings.stores, keys: keys)
        do {
            try await run(on: databases, keys, settings)
        } catch {
            await databases.close()
            throw error
        }
        await databases.close()
    }

    private func run(on databases: SealedDatabases, _ keys: ReloadingMasterKeyRing, _ settings: KeysSettings)
        async throws
    {
        switch action {
        case .list:
            let former: [String] =
                switch keys.source {
                case .file(let path): MasterKeyFile.formerIDs(beside: path)
                case .variable: []
                }
            print(
                KeyInventory.text(
                    of: keys.ring, former: former, try await KeyInventory.recordCounts(of: databases.found)))
            // Counts without all databases must not look complete.
            try UnvisitedDatabases.requireNone(databases.unvisited)
        case .rotateMaster(let options):
            try databases.requireAll(dataDirectory: settings.dataDirectory)
            if !DataDirectory.isInUse(settings.dataDirectory) {
                Self.printLine("No mesh runs on \(settings.dataDirectory). This command re-seals without it.")
            }
            try await KeyRotation(keys, databases.found, options, printLine: Self.printLine).run()
            databases.others.forEach(Self.printLine)
        case .deleteFormer(let id):
            try databases.requireAll(dataDirectory: settings.dataDirectory)
            try await FormerKey(id, keys, databases.found).delete(printLine: Self.printLine)
        }
    }

    private static func printLine(_ line: String) {
        print(line)
        fflush(nil)  // A reader on a pipe follows the progress.
    }

    private static func quoted(_ text: String) -> String { "\"\(LogEscaping.escaped(text, maximumBytes: 100))\"" }

    static let help = """
        latchkey keys list            the master keys, and how many records each of them opens
        latchkey keys rotate-master   makes a new master key, seals everything anew under it while the mesh works,
                                      and removes the old ones, each of which stays in FILE.former-ID
        latchkey keys delete-former ID
                                      deletes a key that a rotation has kept, once nothing is sealed under it

        Options, with the variables beside them:

          --data DIR    LATCHKEY_DATA   data directory (default in dev: .latchkey)
          --dev         LATCHKEY_DEV    the mesh is one of development
          --keep-old                    leaves the old keys in the file
          --wait-only                   makes no new key: for one that you have put there yourself

        The keys are those of LATCHKEY_MASTER_KEY_FILE (default: master.key in the data directory) or LATCHKEY_MASTER_KEY.
        A rotation that was interrupted is finished by the next one. Each command requires the settings of the services, so
        that it finds every database.
        """
}

/// The settings of `latchkey keys`.
struct KeysSettings: Sendable {
    /// The absolute path.
    let dataDirectory: String
    let masterKey: MasterKeySource
    /// The databases of every service that owns data.
    let stores: [StorageSettings]

    init(_ environment: Environment) throws {
        var reader = SettingsReader(environment, of: .latchkey)
        let isDev = reader.boolean(.dev)
        let path = reader.string(
            .data, default: isDev ? ProcessSettings.devDataDirectory : nil, example: "/var/lib/latchkey")
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

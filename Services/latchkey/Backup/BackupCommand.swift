internal import Contracts
internal import Glibc
internal import MasterKey
internal import ServiceRuntime
internal import Storage

/// `latchkey backup DIR`.
struct BackupCommand {
    private let directory: String
    private let settings: BackupSettings

    /// - Throws: `UsageError`, `SettingsError`.
    init(_ arguments: [String], over environment: Environment) throws {
        let arguments = try BackupArguments("backup", arguments)
        directory = arguments.directory
        settings = try BackupSettings(arguments.environment(over: environment))
    }

    /// - Throws: `BackupError`, `MasterKeyError`.
    func run() async throws {
        let keys = try ReloadingMasterKeyRing(settings.masterKey).ring.all
        let progress = CopyProgress.standardError()
        InterruptHandler.install { [directory] in
            progress.finish()
            BackupWriter.discard(for: directory)
        }
        let manifest = try await Backup(settings.stores, keys: keys, progress: progress)
            .make(at: directory, dataDirectory: settings.dataDirectory)
        TextTable.printRows(
            manifest.services.map { entry in
                [
                    entry.service.rawValue, "from \(entry.engine)", "schema \(entry.schemaVersion)",
                    "\(entry.rows.values.reduce(0, +)) rows", TextTable.size(entry.bytes),
                ]
            })
        print(
            """
            backup of \(manifest.madeAt) is in \(directory)
            It can only be read with the master key \(keys[0].id) of \(settings.masterKey.name), which is not in it: \
            keep a copy of that elsewhere.
            """)
    }
}

/// `latchkey restore DIR`.
struct RestoreCommand {
    private let directory: String
    private let replaces: Bool
    private let settings: BackupSettings

    /// - Throws: `UsageError`, `SettingsError`.
    init(_ arguments: [String], over environment: Environment) throws {
        let arguments = try BackupArguments("restore", arguments, allowsReplacing: true)
        directory = arguments.directory
        replaces = arguments.replaces
        settings = try BackupSettings(arguments.environment(over: environment))
    }

    /// - Throws: `BackupError`, `MasterKeyError`.
    func run() async throws {
        let keys = try ReloadingMasterKeyRing(settings.masterKey).ring.all
        let progress = CopyProgress.standardError()
        // Database engines discard uncommitted changes themselves.
        InterruptHandler.install { [settings] in
            progress.finish()
            for store in settings.stores {
                FileSystem.remove(Restore.temporaryPath(for: store.service, in: settings.dataDirectory))
            }
        }
        let outcomes = try await Restore(
            settings.stores, keys: keys, keySource: settings.masterKey.name, dataDirectory: settings.dataDirectory,
            progress: progress
        ).run(from: directory, replaces: replaces)
        TextTable.printRows(
            outcomes.map { outcome in
                let schema =
                    outcome.backupSchema == outcome.schema
                    ? "schema \(outcome.schema)" : "schema \(outcome.backupSchema), brought to \(outcome.schema)"
                return [
                    outcome.service.rawValue, "into \(outcome.engine)", schema, "\(outcome.rows) rows", outcome.place,
                ]
            })
        print("restored from \(directory). Processes that run start again by themselves.")
        for store in settings.stores where outcomes.contains(where: { $0.service == store.service }) {
            // The data moved to another engine, or these are not the settings of the services. The operator decides
            // which.
            guard let other = store.unvisitedDatabase(isFound: true) else { continue }
            print("Note: \(other.sentence)")
        }
    }
}

/// Ends a command on Ctrl-C and SIGTERM without finishing its work.
private enum InterruptHandler {
    /// - Parameter tidy: removes temporary files.
    static func install(cleanup tidy: @escaping @Sendable () -> Void) {
        Task {
            for await request in ProcessSignals.stopRequests() {
                tidy()
                StandardError.shared.write("latchkey: stopped by \(request.rawValue) before it was done.")
                _exit(ExitCode.failure)
            }
        }
    }
}

/// Prints rows with aligned columns.
private enum TextTable {
    static func printRows(_ rows: [[String]]) {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let words = zip(row, widths).map { word, width in
                word + String(repeating: " ", count: width - word.count)
            }
            print("  " + words.joined(separator: "  "))
        }
    }

    /// For example `832 KiB`.
    static func size(_ bytes: Int) -> String {
        bytes < 10 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20) MiB"
    }
}

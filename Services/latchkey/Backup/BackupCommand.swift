import CommandLineArguments
import Contracts
import Glibc
import MasterKey
import SQLite
import ServiceRuntime
import Storage

/// `latchkey backup DIR`.
struct BackupCommand: Command {
    static let declaration = CommandDeclaration(
        "backup", "copy every database into a new directory, while the mesh runs",
        discussion: Backup.discussion, operands: [.backupDirectory],
        options: [.json, .data, .dev, .environmentFile])

    let directory: String
    let settings: DatabaseSettings
    private let output: CommandOutput

    /// The output with `--json`.
    private struct Result: Encodable {
        var directory: String
        var manifest: BackupManifest
        /// The id of the master key that the backup needs.
        var masterKey: String
    }

    /// - Throws: `SettingsError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws(SettingsError) {
        directory = Operand.trimmingTrailingSlashes(arguments[.backupDirectory])
        settings = try DatabaseSettings(environment)
        output = CommandOutput(arguments)
    }

    /// - Throws: `BackupError`, `MasterKeyError`.
    func run() async throws {
        let keys = try ReloadingMasterKeyRing(settings.masterKey).ring.all
        let progress = CopyProgress.standardError()
        InterruptHandler.add { [directory] in
            progress.finish()
            BackupWriter.discard(for: directory)
        }
        let manifest = try await Backup(settings.stores, keys: keys, progress: progress)
            .make(at: directory, dataDirectory: settings.dataDirectory)
        guard !output.isJSON else {
            return try output.show(Result(directory: directory, manifest: manifest, masterKey: keys[0].id), [])
        }
        printRows(
            manifest.services.map { entry in
                [
                    entry.service.rawValue, "from \(entry.engine)", "schema \(entry.schemaVersion)",
                    "\(entry.rows.values.reduce(0, +)) rows", size(entry.bytes),
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
struct RestoreCommand: Command {
    private static let replace = CommandOption("replace", "replace existing data, which is refused otherwise")

    /// Lines about replaced characters of one database.
    private static let shownReplacements = 20

    static let declaration = CommandDeclaration(
        "restore", "replace the data with a backup, while the mesh runs",
        discussion: Backup.discussion, operands: [.backupDirectory],
        options: [replace, .json, .data, .dev, .environmentFile])

    let directory: String
    let replaces: Bool
    let settings: DatabaseSettings
    private let output: CommandOutput

    /// - Throws: `SettingsError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws(SettingsError) {
        directory = Operand.trimmingTrailingSlashes(arguments[.backupDirectory])
        replaces = arguments.has(Self.replace)
        settings = try DatabaseSettings(environment)
        output = CommandOutput(arguments)
    }

    /// - Throws: `BackupError`, `MasterKeyError`.
    func run() async throws {
        let keys = try ReloadingMasterKeyRing(settings.masterKey).ring.all
        let progress = CopyProgress.standardError()
        // Database engines discard uncommitted changes themselves.
        InterruptHandler.add { [settings] in
            progress.finish()
            for store in settings.stores {
                SQLiteArchive.remove(DatabaseReplacement.draft(of: store))
            }
        }
        let outcomes = try await Restore(
            stores: settings.stores, keys: keys, keySource: settings.masterKey.name,
            dataDirectory: settings.dataDirectory, progress: progress
        ).run(from: directory, replaces: replaces)
        if output.isJSON {
            for outcome in outcomes { try output.show(outcome, []) }
        } else {
            show(outcomes)
        }
        for store in settings.stores where outcomes.contains(where: { $0.service == store.service }) {
            // The data moved to another engine, or these are not the settings of the services. The operator decides
            // which.
            guard let other = store.unvisitedDatabase(isFound: true) else { continue }
            output.note("Note: \(other.sentence)")
        }
    }

    private func show(_ outcomes: [Restore.Outcome]) {
        printRows(
            outcomes.map { outcome in
                let schema =
                    outcome.backupSchema == outcome.schema
                    ? "schema \(outcome.schema)" : "schema \(outcome.backupSchema), brought to \(outcome.schema)"
                return [
                    outcome.service.rawValue, "into \(outcome.engine)", schema, "\(outcome.rows) rows", outcome.place,
                ]
            })
        for outcome in outcomes {
            for replacement in outcome.replacements.prefix(Self.shownReplacements) {
                print("Note: \(outcome.service.rawValue): \(replacement.sentence).")
            }
            let others = outcome.replacements.count - Self.shownReplacements
            if others > 0 { print("Note: \(outcome.service.rawValue): the same in \(others) more values.") }
        }
        print("restored from \(directory). Processes that run start again by themselves.")
        print("A mesh in one process ends, for its service manager to start it.")
    }
}

extension Operand {
    fileprivate static let backupDirectory = Operand("DIR", completion: .directory, "directory of the backup")

    fileprivate static func trimmingTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        return String(path)
    }
}

private func printRows(_ rows: [[String]]) {
    var table = TextTable(titles: [])
    for line in table.lines(rows) { print("  " + line) }
}

/// For example `832 KiB`.
private func size(_ bytes: Int) -> String {
    bytes < 10 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20) MiB"
}

import CommandLineArguments
import Contracts
import Glibc
import MasterKey
import ServiceRuntime
import Storage

/// `latchkey keys list`.
struct KeysListCommand: Command {
    static let declaration = CommandDeclaration(
        "list", "print the master keys, and the number of records that each of them opens",
        options: [.json] + SealedDatabaseAccess.options)

    private let access: SealedDatabaseAccess
    private let output: CommandOutput

    init(_ arguments: ParsedArguments, _ environment: Environment) {
        access = SealedDatabaseAccess(environment: environment)
        output = CommandOutput(arguments)
    }

    func run() async throws {
        try await access.run { databases, keys, _ in
            let former: [String] =
                switch keys.source {
                case .file(let path): MasterKeyFile.formerIDs(beside: path)
                case .variable: []
                }
            let rows = KeyInventory.rows(
                of: keys.ring, former: former, try await KeyInventory.recordCounts(of: databases.found))
            var list = output.list(
                OutputColumn<KeyInventory.Row>("KEY", \.key), OutputColumn("USE", \.use.rawValue),
                OutputColumn("RECORDS", \.recordsText))
            try list.append(rows)
            // Counts without all databases must not look complete.
            try UnvisitedDatabases.requireNone(databases.unvisited)
        }
    }
}

/// `latchkey keys rotate-master`.
struct KeysRotateMasterCommand: Command {
    private static let keepOld = CommandOption("keep-old", "leave the old keys in the file")
    private static let waitOnly = CommandOption(
        "wait-only", "create no new key: for one that you have put there yourself")
    private static let abort = CommandOption(
        "abort", "remove the new key of a rotation that waits for other machines")

    static let declaration = CommandDeclaration(
        "rotate-master", "create a new master key, reseal everything under it, and remove the old keys",
        discussion: """
            The mesh keeps working. Each removed key stays in FILE.former-ID. The next rotation finishes one that was \
            interrupted. Where machines have copies of the key file, the command names those that lack the new key, and \
            continues when it runs again after the file was copied to them.
            """, options: [keepOld, waitOnly, abort] + SealedDatabaseAccess.options)

    let options: KeyRotation.Options
    private let access: SealedDatabaseAccess

    init(_ arguments: ParsedArguments, _ environment: Environment) {
        options = KeyRotation.Options(
            keepsOldKeys: arguments.has(Self.keepOld), waitsOnly: arguments.has(Self.waitOnly),
            aborts: arguments.has(Self.abort))
        access = SealedDatabaseAccess(environment: environment)
    }

    func run() async throws {
        try await access.run { databases, keys, settings in
            try databases.requireAll(dataDirectory: settings.dataDirectory)
            if !DataDirectory.isInUse(settings.dataDirectory) {
                SealedDatabaseAccess.printLine(
                    "No mesh runs on \(settings.dataDirectory). This command re-seals without it.")
            }
            try await KeyRotation(
                keys: keys, databases: databases.found, options: options, printLine: SealedDatabaseAccess.printLine
            ).run()
            databases.others.forEach(SealedDatabaseAccess.printLine)
        }
    }
}

/// `latchkey keys delete-former ID`.
struct KeysDeleteFormerCommand: Command {
    private static let id = Operand("ID", "id of a master key")

    static let declaration = CommandDeclaration(
        "delete-former", "delete a master key that a rotation has kept, once nothing is sealed under it",
        operands: [id], options: SealedDatabaseAccess.options)

    let id: String
    private let access: SealedDatabaseAccess

    init(_ arguments: ParsedArguments, _ environment: Environment) {
        id = arguments[Self.id]
        access = SealedDatabaseAccess(environment: environment)
    }

    func run() async throws {
        try await access.run { databases, keys, settings in
            try databases.requireAll(dataDirectory: settings.dataDirectory)
            try await FormerKey(id: id, keys: keys, databases: databases.found).delete(
                printLine: SealedDatabaseAccess.printLine)
        }
    }
}

/// Opens the databases with sealed records for the commands about master keys.
struct SealedDatabaseAccess: Sendable {
    static let options: [CommandOption] = [.data, .dev, .environmentFile]

    /// For the help of the commands.
    static let discussion = """
        The master keys are those of LATCHKEY_MASTER_KEY_FILE (default: master.key in the data directory) or \
        LATCHKEY_MASTER_KEY. Each command about them requires the settings of the services, so that it finds every \
        database.
        """

    let environment: Environment

    /// Runs `body` with the databases and the keys, and closes the databases. An interrupted rotation continues at its step
    /// when it runs again.
    /// - Throws: an error with a message for the operator.
    func run(
        _ body: (SealedDatabases, ReloadingMasterKeyRing, DatabaseSettings) async throws -> Void
    ) async throws {
        let settings = try DatabaseSettings(environment).inExistingDirectory()
        let keys = try ReloadingMasterKeyRing(settings.masterKey)
        let databases = try await SealedDatabases(in: settings.stores, keys: keys)
        do {
            try await body(databases, keys, settings)
        } catch {
            await databases.close()
            throw error
        }
        await databases.close()
    }

    static func printLine(_ line: String) {
        print(line)
        fflush(nil)  // A reader on a pipe follows the progress.
    }
}

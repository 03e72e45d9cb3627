internal import Glibc
internal import ServiceRuntime
internal import Settings

/// The operator's command. `latchkey help` lists the subcommands.
package enum LatchkeyCommand {
    private enum Subcommand: String {
        case up, check, keys, backup, restore, audit, settings
        case serviceAccount = "service-account"
        case passwordFilter = "password-filter"
        case templates, help, version

        /// Parses the name of a subcommand.
        init?(word: String) {
            switch word {
            case "--help", "-h": self = .help
            case "--version": self = .version
            default: self.init(rawValue: word)
            }
        }
    }

    /// Runs the subcommand of the command line and ends the process.
    package static func main() async -> Never {
        let word = CommandLine.arguments.dropFirst().first ?? "help"
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        guard let subcommand = Subcommand(word: word) else {
            let failure = UsageError("There is no command \"\(LogEscaping.escaped(word, maximumBytes: 100))\".")
            await Program.run(.latchkey, .process) { _ in throw failure }
        }
        let requestsHelp = arguments.contains { $0 == "--help" || $0 == "-h" }
        switch subcommand {
        case .keys where requestsHelp: printAndExit(KeysCommand.help)
        case .up where requestsHelp, .check where requestsHelp, .settings where requestsHelp,
            .backup where requestsHelp,
            .restore where requestsHelp, .audit where requestsHelp,
            .serviceAccount where requestsHelp, .templates where requestsHelp, .passwordFilter where requestsHelp:
            printAndExit(help)
        case .up: await up(arguments)
        case .check: await check(arguments)
        case .settings:
            await Program.run(.latchkey, Environment([:])) { _ in
                print(try SettingsCommand(arguments).text, terminator: "")
            }
        case .keys: await Program.run(.latchkey, .process) { try await KeysCommand(arguments, over: $0).run() }
        case .backup: await Program.run(.latchkey, .process) { try await BackupCommand(arguments, over: $0).run() }
        case .restore: await Program.run(.latchkey, .process) { try await RestoreCommand(arguments, over: $0).run() }
        case .audit:
            await Program.run(.latchkey, .process) { environment in
                try await AuditCommand(arguments, environment).run { print($0) }
            }
        case .serviceAccount:
            await Program.run(.latchkey, .process) { environment in
                try await ServiceAccountCommand(arguments, environment).run { print($0) }
            }
        case .passwordFilter:
            await Program.run(.latchkey, .process) { _ in try PasswordFilterCommand(arguments).run { print($0) } }
        case .templates: await templates(arguments)
        case .help: printAndExit(help)
        case .version: printAndExit("latchkey \(Program.version)")
        }
    }

    private static func up(_ arguments: [String]) async -> Never {
        let environment = await environment(arguments)
        // The launcher reads the resolved settings. The processes get the operator's variables, and read files of
        // secrets themselves.
        await Program.run(.latchkey, environment) { resolved in
            try await MeshLauncher(UpSettings(resolved), environment, executables: .ofCurrentExecutable).run()
        }
    }

    private static func check(_ arguments: [String]) async -> Never {
        let environment = await environment(arguments)
        await Program.run(.latchkey, environment) { resolved in
            for line in try CheckCommand(environment, resolved: resolved).report() { print(line) }
        }
    }

    /// The environment as changed by the options of `up`. An invalid command line ends the process.
    private static func environment(_ arguments: [String]) async -> Environment {
        do {
            return try UpOptions.environment(arguments, over: .process)
        } catch {
            await Program.run(.latchkey, .process) { _ in throw error }
        }
    }

    private static func templates(_ arguments: [String]) async -> Never {
        await Program.run(.latchkey, .process) { _ in
            guard arguments.first == "check" else {
                throw UsageError("`latchkey templates` needs a subcommand: check.")
            }
            // After a failure the process ends without flushing the output, so it is flushed here.
            defer { fflush(nil) }
            try TemplatesCommand(files: Array(arguments.dropFirst())).run { print($0) }
        }
    }

    private static func printAndExit(_ text: String) -> Never {
        print(text)
        exit(ExitCode.success)
    }

    private static let help = """
        latchkey \(Program.version): a self-hosted identity platform

        latchkey up [options]    start the whole mesh on this machine and watch it
        latchkey check [options] check the settings of `up`, and show which process receives which
        latchkey settings [PROCESS | markdown | env FILE]
                                 print all settings, those of one process, or the text of docs/settings.md or of
                                 deploy/env/FILE.env
        latchkey keys ...        list and rotate the master key; see latchkey keys --help
        latchkey backup DIR      copy every database into a new directory, while the mesh runs
        latchkey restore DIR     replace the data with a backup, while the mesh runs
        latchkey audit verify    verify the hash chain of the audit log and its sealed copies
        latchkey audit list [--project ID [--account ID]] [--limit N]
                                 show the newest records of the audit log, 100 without --limit
        latchkey service-account add FILE [--project ID]
                                 register the key of a service account, of which only the public half is kept
        latchkey service-account list [--project ID]
        latchkey service-account remove EMAIL [KEY]
        latchkey templates check [FILE ...]
                                 check the texts of all e-mails, and those of project configurations in files
        latchkey password-filter LIST FILE
                                 create a filter of rejected passwords from a text file with one on each line
        latchkey help            this page
        latchkey --version

        `backup` and `restore` find the databases by the variables the services read: LATCHKEY_DATA (or --data DIR),
        LATCHKEY_DATABASE_URL and LATCHKEY_<SERVICE>_DATABASE_URL. A backup fits into either engine. `restore` replaces
        existing data only with --replace. The master key is in no backup: keep a copy of it elsewhere.

        Options of `up` and `check`, each also read from the variable beside it:

        \(UpOptions.help)

        `service-account list` requires the project: --project, LATCHKEY_PROJECT, or --dev for that of dev mode. It and `audit`
        send requests to the running mesh, through the sockets in the data directory (--data, LATCHKEY_DATA) or the
        brokers that LATCHKEY_BROKERS names.

        LATCHKEY_DATABASE_URL=postgres://user:password@host/database puts the data of every service on PostgreSQL, and
        LATCHKEY_<SERVICE>_DATABASE_URL those of one; without them each has a SQLite file in the data directory.

        `ready http://...` on standard output says that the mesh is ready; the log of all processes goes to standard error.
        SIGTERM and SIGINT stop everything.

        Settings that `latchkey` reads. It gives every other setting to the processes that read it, and refuses a name that
        begins with LATCHKEY_ and is unknown. `latchkey settings` prints all of them.

        \(SettingsDocument.help(of: .latchkey))
        """
}

/// An invalid command line.
struct UsageError: ExitError, Equatable {
    let messages: [String]

    init(_ sentence: String) {
        messages = [sentence, "See latchkey help."]
    }

    var exitCode: Int32 { ExitCode.usage }
}

import CommandLineArguments
import ServiceRuntime
import Settings

/// `latchkey up`: starts the mesh and watches it until it is stopped.
struct UpCommand: Command {
    /// Each option overrides one setting, so that settings are read in one place.
    static let options: [CommandOption] = [
        CommandOption("dev", overrides: .dev, "dev mode, on loopback only"),
        .data,
        CommandOption("listen", value: "HOST:PORT", overrides: .listen, "public address (default: 127.0.0.1:9099)"),
        CommandOption(
            "admin-listen", value: "HOST:PORT", overrides: .adminListen,
            "admin address (default: 127.0.0.1:9098; in dev mode the public one)"),
        CommandOption(
            "project", value: "ID", overrides: .project, "default project (default in dev mode: demo-latchkey)"),
        CommandOption(
            "scale", value: "NAME=N", canRepeat: true, overrides: .scale, "number of processes of one kind"),
        CommandOption(
            "only", value: "NAME,...", overrides: .only,
            "the kinds of processes that run; without gateway a broker is added unless LATCHKEY_BROKERS names one"),
        CommandOption("one-process", overrides: .oneProcess, "run all services in the process of this command"),
        CommandOption(
            "log", value: "LEVEL", overrides: .log, completion: .proposals(Log.Level.allCases.map(\.rawValue)),
            "level of the log: debug, info, warn or error"),
        CommandOption(
            "log-format", value: "FORMAT", overrides: .logFormat,
            completion: .proposals(Log.Format.allCases.map(\.rawValue)), "format of the log: text or json"),
        CommandOption("emulator-tokens", overrides: .emulatorTokens, "dev mode only: unsigned ID tokens"),
        CommandOption(
            "seed", value: "FILE", overrides: .seed, completion: .file, "dev mode only: users to import at the start"),
        CommandOption(
            "export-on-exit", value: "FILE", overrides: .exportOnExit, completion: .file,
            "dev mode only: file into which the users are written at the end"),
        .environmentFile,
    ]

    static let declaration = CommandDeclaration(
        "up", "start the whole mesh on this machine and watch it",
        discussion: """
            `ready http://...` on standard output says that the mesh is ready; the log of all processes goes to standard \
            error. SIGTERM and SIGINT stop everything.

            LATCHKEY_DATABASE_URL=postgres://user:password@host/database puts the data of every service on PostgreSQL, and \
            LATCHKEY_<SERVICE>_DATABASE_URL those of one; without them each has a SQLite file in the data directory.

            The command gives every setting to the processes that read it, and refuses a name that begins with LATCHKEY_ \
            and is unknown. `latchkey settings latchkey` prints the settings that it reads itself, `latchkey settings` \
            those of all processes.

            If the log is JSON, the lines on standard output and the errors are JSON too: `mesh.starting`, `mesh.ready`, \
            `process.failed`.
            """, options: options, isService: true)

    private let settings: UpSettings
    /// The processes get the operator's variables, and read files of secrets themselves.
    private let environment: Environment

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        settings = try UpSettings(environment)
        self.environment = arguments.environment
    }

    func run() async throws { preconditionFailure("LatchkeyCommand runs it with the programs") }

    /// - Parameter programs: of all services.
    func run(starting programs: ServicePrograms) async throws {
        try await MeshLauncher(settings: settings, environment: environment, programs: programs).run()
    }
}

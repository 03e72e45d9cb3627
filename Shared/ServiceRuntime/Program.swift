import Blocking
package import Contracts
import Glibc
package import Settings

/// The exit codes of the processes of the mesh (from sysexits.h where it defines one).
package enum ExitCode {
    package static let success: Int32 = 0
    package static let failure: Int32 = 1
    /// EX_USAGE: an invalid command line.
    package static let usage: Int32 = 64
    /// EX_DATAERR: the data of a service cannot be used. Other processes can continue while the operator corrects it.
    package static let data: Int32 = 65
    /// EX_OSERR: the system gives no memory, or no thread.
    package static let noMemory = DedicatedThread.shortageExitCode
    /// EX_CONFIG: invalid settings. A restart without a change fails again.
    package static let settings: Int32 = 78
}

/// An error that ends a process with messages for its operator.
package protocol ExitError: Error, Sendable {
    /// `ExitCode.failure` unless the error says otherwise.
    var exitCode: Int32 { get }
    /// Whole sentences, one line each, without secrets.
    var messages: [String] { get }
}

extension ExitError {
    package var exitCode: Int32 { ExitCode.failure }
}

/// What an error that ends a program says.
package struct ProgramFailure: Equatable, Sendable {
    package let exitCode: Int32
    /// Whole sentences, one line each, without secrets.
    package let messages: [String]

    package init(_ error: any Error) {
        if let failure = error as? any ExitError {
            exitCode = failure.exitCode
            messages = failure.messages
            return
        }
        exitCode = ExitCode.failure
        // An error with a description is meant to be shown. Of other errors only the type is shown, because their dump may
        // quote a secret.
        let reason = (error as? any CustomStringConvertible)?.description ?? String(reflecting: type(of: error))
        messages = [LogEscaping.escaped(reason, maximumBytes: 1000, betweenQuotes: false)]
    }
}

/// The program of one service: its description, its settings, and what it runs until it is stopped. It runs as a process of
/// its own, or as a part of a process that all services of a mesh share.
/// ```swift
/// Program(.identity, "Accounts, sessions and tokens.", reading: IdentitySettings.init) { settings, host in
///     ...
///     try await ServiceRuntime(settings.common, in: host).run([store, bus])
/// }
/// ```
package struct Program: Sendable {
    /// An option of the command line: equivalent to a variable.
    package struct Option: Sendable {
        /// The name without the two dashes.
        package var name: String
        package var setting: Setting
        /// The operand in the output of `--help`.
        package var operand: String

        package init(_ name: String, _ setting: Setting, _ operand: String) {
            self.name = name
            self.setting = setting
            self.operand = operand
        }
    }

    /// The version of everything in this repository: the next release while CHANGELOG.md has unreleased changes, the last
    /// one otherwise.
    package static let version = "0.2.0"

    private let process: SettingsProcess
    private let summary: String
    private let options: [Option]
    /// Reads the settings, and returns what runs with them.
    private let prepare: @Sendable (Environment) throws -> @Sendable (ServiceHost) async throws -> Void
    private var name: String { process.name }

    /// - Parameters:
    ///   - service: its executable has the same name, and the catalog contains its settings.
    ///   - options: accepted on the command line besides `--help` and `--version`.
    ///   - read: the settings. With `--check` nothing else runs, so it changes nothing.
    ///   - body: runs the service with these settings until it is stopped.
    package init<Read: Sendable>(
        _ service: ServiceName, _ summary: String, options: [Option] = [],
        reading read: @escaping @Sendable (Environment) throws -> Read,
        _ body: @escaping @Sendable (Read, ServiceHost) async throws -> Void
    ) {
        process = .service(service)
        self.summary = summary
        self.options = options
        prepare = { environment in
            let settings = try read(environment)
            return { host in try await body(settings, host) }
        }
    }

    /// Runs the service as a part of this process.
    /// - Parameter environment: of the service, as `main` has that of the process.
    /// - Throws: `SettingsError`, or the error with which the service ended.
    package func run(_ environment: Environment, in host: ServiceHost) async throws {
        try await prepare(environment.resolved(for: process))(host)
    }

    /// Handles `--help`, `--version` and `--check`, or runs the service as this process and ends it. The exit code is 0 when
    /// the service was stopped, that of an `ExitError` with its messages when it throws one, and 1 otherwise.
    package func main() async -> Never {
        // The executable may have another name.
        DedicatedThread.nameProcess(name)
        var environment = Environment.process
        var isCheck = false
        var rest = CommandLine.arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--help":
                print(help)
                exit(ExitCode.success)
            case "--version":
                print("\(name) \(Self.version)")
                exit(ExitCode.success)
            case Self.checkArgument:
                isCheck = true
            default:
                guard let (setting, value) = setting(argument, &rest) else {
                    let shown = LogEscaping.escaped(argument, maximumBytes: 100)
                    Self.printError("\(name) takes no argument \"\(shown)\"; see --help.")
                    exit(ExitCode.usage)
                }
                environment = environment.changing([setting: value])
            }
        }
        let isUnderLauncher = environment[.startID] != nil
        await Self.run(process, environment, logsErrors: !isUnderLauncher) { [isCheck] resolved in
            let service = try prepare(resolved)
            if !isCheck { try await service(.process(isUnderLauncher: isUnderLauncher)) }
        }
    }

    /// The argument with which a process only reads its settings: `latchkey check` judges with the code that starts it.
    package static let checkArgument = "--check"

    /// The setting of an option and its value: `--name value` or `--name=value`.
    private func setting(_ argument: String, _ rest: inout ArraySlice<String>) -> (setting: Setting, value: String)? {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = options.first(where: { "--\($0.name)" == parts[0] }),
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty
        else { return nil }
        return (option.setting, value)
    }

    /// Runs `body` with signal handling and without core dumps, and ends the process with its result. `body` receives
    /// the resolved settings: see `Environment.resolved(for:)`.
    /// - Parameter logsErrors: whether messages are log lines if the log is JSON: for a process whose standard error is a
    ///   log. A terminal shows sentences, and a launcher reads them.
    package static func run(
        _ process: SettingsProcess, _ environment: Environment, logsErrors: Bool = false,
        _ body: @Sendable (Environment) async throws -> Void
    ) async -> Never {
        let report = { (sentences: [String], code: Int32) in
            Self.report(sentences, code, of: process, logsErrors ? environment : Environment([:]))
        }
        if Self.logsJSON(environment) {
            let instance = environment[.instance] ?? process.name
            StandardError.shared.setNotice { dropped in
                LogLine(
                    time: WallClock.now(), level: .warn, instance: instance, event: LogEvent.logLinesDropped.rawValue,
                    fields: [("count", .public(dropped))]
                ).rendered(as: .json)
            }
        }
        ProcessSignals.installHandlers()
        var reader = SettingsReader(environment, of: process)
        if !reader.boolean(.dev) { disableCoreDumps() }
        raiseFileLimit()
        CrashMark.install(isRead: environment[.lifeline] != nil)
        do {
            try await body(environment.resolved(for: process))
            // Not `exit`: it destroys what libraries share while threads of theirs still end.
            fflush(nil)
            _exit(ExitCode.success)
        } catch {
            let failure = ProgramFailure(error)
            report(failure.messages, failure.exitCode)
            // Not `exit`: components that did not stop may still run, and must not see a partly destroyed process.
            _exit(failure.exitCode)
        }
    }

    /// The output of `--help`.
    package var help: String {
        let own = options.map { "\n--\($0.name) \($0.operand) is another way to write \($0.setting.name)." }.joined()
        return """
            \(name) \(Self.version): \(summary)
            A process of the Latchkey mesh, usually started by `latchkey up`. It takes no arguments but --help,
            --version and --check, which only checks the settings\(options.isEmpty ? "" : ", and what follows").
            It reads these environment variables:\(own)

            \(SettingsDocument.help(of: process))
            """
    }

    /// A core dump would contain keys and passwords (security rule SE3).
    private static func disableCoreDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        // Lowering a limit cannot fail for a valid resource.
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Each connection needs a descriptor, and the usual soft limit of 1024 is below the limit of a gateway.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        // Raising a soft limit up to the hard one cannot fail.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Says why a process ends.
    /// - Parameter environment: with the format of the log; empty for sentences.
    private static func report(
        _ sentences: [String], _ exitCode: Int32, of process: SettingsProcess, _ environment: Environment
    ) {
        guard logsJSON(environment) else {
            for sentence in sentences { printError("\(process.name): \(sentence)") }
            return
        }
        let log = Log(instance: environment[.instance] ?? process.name, settings: LogSettings(format: .json))
        for sentence in sentences {
            log.error(.processFailed, ["reason": .public(sentence), "exitCode": .public(exitCode)])
        }
    }

    private static func logsJSON(_ environment: Environment) -> Bool {
        environment[.logFormat] == Log.Format.json.rawValue
    }

    private static func printError(_ sentence: String) {
        StandardError.shared.write(sentence)
    }
}

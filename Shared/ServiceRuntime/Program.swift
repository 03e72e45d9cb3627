internal import Glibc

/// How processes of the mesh end (sysexits.h where it has a word for it).
package enum ExitCode {
    package static let success: Int32 = 0
    package static let failure: Int32 = 1
    /// EX_USAGE: the command line.
    package static let usage: Int32 = 64
    /// EX_DATAERR: what a service keeps cannot be used. Others can go on, and an operator can put it right meanwhile.
    package static let data: Int32 = 65
    /// EX_CONFIG: settings. Starting again without changing them is no use.
    package static let settings: Int32 = 78
}

/// An error that ends a process with plain sentences for its operator.
package protocol ProgramFailure: Error, Sendable {
    var exitCode: Int32 { get }
    /// Whole sentences, one line each, without secrets.
    var sentences: [String] { get }
}

/// An executable: what it says about itself, and how it starts and ends.
/// ```swift
/// await Program("identity", "Accounts, sessions and tokens.", IdentitySettings.help).start { environment in
///     let settings = try IdentitySettings(environment)
///     ...
///     try await ServiceRuntime(settings.common).run([store, bus])
/// }
/// ```
package struct Program: Sendable {
    /// A setting as `--help` shows it.
    package struct Setting: Sendable {
        package var name: String
        package var meaning: String

        package init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// An option of the command line: another way to write a variable.
    package struct Option: Sendable {
        /// Behind two dashes.
        package var name: String
        package var variable: String
        /// What follows it, as `--help` shows it.
        package var operand: String
        package var meaning: String

        package init(_ name: String, _ variable: String, _ operand: String, _ meaning: String) {
            self.name = name
            self.variable = variable
            self.operand = operand
            self.meaning = meaning
        }
    }

    /// Of everything in this repository.
    package static let version = "0.1.0"

    private let name: String
    private let summary: String
    private let settings: [Setting]
    private let options: [Option]

    /// - Parameters:
    ///   - settings: what the process reads beside the settings all share.
    ///   - options: what it takes on the command line beside `--help` and `--version`.
    package init(_ name: String, _ summary: String, _ settings: [Setting] = [], options: [Option] = []) {
        self.name = name
        self.summary = summary
        self.settings = settings
        self.options = options
    }

    /// Answers `--help` and `--version`, or runs `body` and ends the process: with 0 when `body` returns, with the code
    /// and the sentences of a `ProgramFailure` when it throws one, with 1 otherwise.
    package func start(_ body: @Sendable (Environment) async throws -> Void) async -> Never {
        var environment = Environment.process
        var rest = CommandLine.arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--help":
                print(help)
                exit(ExitCode.success)
            case "--version":
                print("\(name) \(Self.version)")
                exit(ExitCode.success)
            default:
                guard let (variable, value) = setting(argument, &rest) else {
                    let shown = LogText.escaped(argument, maximumBytes: 100)
                    Self.complain("\(name) takes no argument \"\(shown)\"; see --help.")
                    exit(ExitCode.usage)
                }
                environment = environment.changing([variable: value])
            }
        }
        await Self.run(name, environment, body)
    }

    /// The variable an option stands for, and its value: `--name value` or `--name=value`.
    private func setting(_ argument: String, _ rest: inout ArraySlice<String>) -> (variable: String, value: String)? {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = options.first(where: { "--\($0.name)" == parts[0] }),
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty
        else { return nil }
        return (option.variable, value)
    }

    /// Runs `body` with signals and core dumps taken care of, and ends the process as it ends.
    package static func run(
        _ name: String, _ environment: Environment, _ body: @Sendable (Environment) async throws -> Void
    ) async -> Never {
        ProcessSignals.take()
        var reader = SettingsReader(environment)
        if !reader.boolean("LATCHKEY_DEV") { refuseCoreDumps() }
        raiseFileLimit()
        CrashMark.install(isRead: environment[ProcessSignals.lifelineVariable] != nil)
        do {
            try await body(environment)
            exit(ExitCode.success)
        } catch let failure as any ProgramFailure {
            for sentence in failure.sentences { complain("\(name): \(sentence)") }
            // Not `exit`: parts that did not stop may still run, and must not meet a half destroyed process.
            _exit(failure.exitCode)
        } catch {
            // Who gave an error a description meant it to be read. Of other errors only the type is told: a dump of one
            // may quote the secret it choked on.
            let reason = (error as? any CustomStringConvertible)?.description ?? String(reflecting: type(of: error))
            complain("\(name): \(LogText.escaped(reason, maximumBytes: 1000, betweenQuotes: false))")
            _exit(ExitCode.failure)
        }
    }

    /// What `--help` prints.
    package var help: String {
        let all = settings + options.map { Setting($0.variable, $0.meaning) } + Self.sharedSettings
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { setting in
            "  \(setting.name)\(String(repeating: " ", count: width - setting.name.count))  \(setting.meaning)"
        }
        let own = options.map { "\n--\($0.name) \($0.operand) is another way to write \($0.variable)." }.joined()
        return """
            \(name) \(Self.version): \(summary)
            A process of the Latchkey mesh, usually started by `latchkey up`. It takes no arguments but --help and
            --version\(options.isEmpty ? "" : " and what follows"), and reads these environment variables:\(own)

            \(lines.joined(separator: "\n"))
            """
    }

    private static let sharedSettings = [
        Setting("LATCHKEY_BROKERS", "bus endpoints of all brokers, comma separated"),
        Setting("LATCHKEY_DATA", "directory of the databases (default in dev: .latchkey)"),
        Setting("LATCHKEY_DEV", "1: development mode, on loopback only"),
        Setting("LATCHKEY_INSTANCE", "name of this process in logs and metrics"),
        Setting("LATCHKEY_LOG", "debug, info, warn or error; text or json; or both, as in info,json"),
        Setting("LATCHKEY_PROJECT", "default project (default in dev: demo-latchkey)"),
    ]

    /// A core would hold keys and passwords (security reference SE3).
    private static func refuseCoreDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        // Lowering a limit cannot fail for a valid resource.
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// A connection costs a descriptor, and the usual soft limit of 1024 is below what a gateway may hold.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        // Raising a soft limit up to the hard one cannot fail.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func complain(_ sentence: String) {
        StandardError.shared.write(sentence)
    }
}

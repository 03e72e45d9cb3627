internal import CMalloc
package import Contracts
internal import Glibc
package import Settings

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
package protocol ExitError: Error, Sendable {
    var exitCode: Int32 { get }
    /// Whole sentences, one line each, without secrets.
    var messages: [String] { get }
}

/// An executable: what it says about itself, and how it starts and ends.
/// ```swift
/// await Program(.identity, "Accounts, sessions and tokens.").start { environment in
///     let settings = try IdentitySettings(environment)
///     ...
///     try await ServiceRuntime(settings.common).run([store, bus])
/// }
/// ```
package struct Program: Sendable {
    /// An option of the command line: another way to write a variable.
    package struct Option: Sendable {
        /// Behind two dashes.
        package var name: String
        package var setting: Setting
        /// What follows it, as `--help` shows it.
        package var operand: String

        package init(_ name: String, _ setting: Setting, _ operand: String) {
            self.name = name
            self.setting = setting
            self.operand = operand
        }
    }

    /// Of everything in this repository.
    package static let version = "0.1.0"

    private let process: SettingsProcess
    private let summary: String
    private let options: [Option]
    private var name: String { process.name }

    /// - Parameters:
    ///   - service: its executable has the same name, and the catalogue has its settings.
    ///   - options: what it takes on the command line beside `--help` and `--version`.
    package init(_ service: ServiceName, _ summary: String, options: [Option] = []) {
        process = .service(service)
        self.summary = summary
        self.options = options
    }

    /// Answers `--help` and `--version`, or runs `body` and ends the process: with 0 when `body` returns, with the code
    /// and the sentences of a `ExitError` when it throws one, with 1 otherwise.
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
                guard let (setting, value) = setting(argument, &rest) else {
                    let shown = LogEscaping.escaped(argument, maximumBytes: 100)
                    Self.printError("\(name) takes no argument \"\(shown)\"; see --help.")
                    exit(ExitCode.usage)
                }
                environment = environment.changing([setting: value])
            }
        }
        await Self.run(process, environment, body)
    }

    /// The setting an option stands for, and its value: `--name value` or `--name=value`.
    private func setting(_ argument: String, _ rest: inout ArraySlice<String>) -> (setting: Setting, value: String)? {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = options.first(where: { "--\($0.name)" == parts[0] }),
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty
        else { return nil }
        return (option.setting, value)
    }

    /// Runs `body` with signals and core dumps taken care of, and ends the process as it ends. `body` gets the resolved
    /// settings: see `Environment.resolved(for:)`.
    package static func run(
        _ process: SettingsProcess, _ environment: Environment, _ body: @Sendable (Environment) async throws -> Void
    ) async -> Never {
        ProcessSignals.installHandlers()
        var reader = SettingsReader(environment, of: process)
        if !reader.boolean(.dev) { disableCoreDumps() }
        raiseFileLimit()
        boundHeap()
        CrashMark.install(isRead: environment[.lifeline] != nil)
        do {
            try await body(environment.resolved(for: process))
            exit(ExitCode.success)
        } catch let failure as any ExitError {
            for sentence in failure.messages { printError("\(process.name): \(sentence)") }
            // Not `exit`: parts that did not stop may still run, and must not meet a half destroyed process.
            _exit(failure.exitCode)
        } catch {
            // Who gave an error a description meant it to be read. Of other errors only the type is told: a dump of one
            // may quote the secret it choked on.
            let reason = (error as? any CustomStringConvertible)?.description ?? String(reflecting: type(of: error))
            printError("\(process.name): \(LogEscaping.escaped(reason, maximumBytes: 1000, betweenQuotes: false))")
            _exit(ExitCode.failure)
        }
    }

    /// What `--help` prints.
    package var help: String {
        let own = options.map { "\n--\($0.name) \($0.operand) is another way to write \($0.setting.name)." }.joined()
        return """
            \(name) \(Self.version): \(summary)
            A process of the Latchkey mesh, usually started by `latchkey up`. It takes no arguments but --help and
            --version\(options.isEmpty ? "" : " and what follows"), and reads these environment variables:\(own)

            \(SettingsDocument.help(of: process))
            """
    }

    /// A core would hold keys and passwords (security rule SE3).
    private static func disableCoreDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        // Lowering a limit cannot fail for a valid resource.
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// glibc gives most threads an arena of their own, each of which keeps what it once needed, and after one large block
    /// has been freed it takes blocks of that size from the arenas (mallopt(3)). With one arena for each processor and a
    /// fixed threshold a process that runs for months stays as small as what it uses.
    private static func boundHeap() {
        // Both are hints: where the allocator is another one, it has none of these habits.
        mallopt(M_ARENA_MAX, Int32(clamping: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        mallopt(M_MMAP_THRESHOLD, 256 * 1024)
    }

    /// A connection costs a descriptor, and the usual soft limit of 1024 is below what a gateway may hold.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        // Raising a soft limit up to the hard one cannot fail.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func printError(_ sentence: String) {
        StandardError.shared.write(sentence)
    }
}

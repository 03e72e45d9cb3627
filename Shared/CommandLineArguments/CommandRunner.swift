import Glibc
import ServiceRuntime
import Settings

/// Finds the command of a command line and runs it.
package struct CommandRunner: Sendable {
    /// The words of a command line, before a command checks them.
    package enum Request {
        case command(any Command.Type, path: [String], words: [String])
        /// The help of a group or a command.
        case help(String)
        case version
    }

    private let root: CommandGroup

    /// - Parameter root: has the name of the executable.
    package init(_ root: CommandGroup) {
        self.root = root
    }

    /// Runs the command of the command line and ends the process. Its exit code is that of `Program.run`.
    /// - Parameter execute: runs a command whose arguments are valid.
    package func run(_ execute: @escaping @Sendable (any Command) async throws -> Void) async -> Never {
        do {
            switch try request(Array(CommandLine.arguments.dropFirst())) {
            case .help(let text): Self.printAndExit(text)
            case .version: Self.printAndExit("\(root.name) \(Program.version)")
            case .command(let type, let path, let words): try await run(type, path, words, execute)
            }
        } catch {
            await Program.run(.latchkey, Environment([:])) { _ in throw error }
        }
    }

    private func run(
        _ type: any Command.Type, _ path: [String], _ words: [String],
        _ execute: @escaping @Sendable (any Command) async throws -> Void
    ) async throws -> Never {
        let declaration = type.declaration
        let environment = declaration.readsSettings ? Environment.process : Environment([:])
        let arguments: ParsedArguments
        do {
            arguments = try namingCommand(path) {
                try ParsedArguments(words, of: declaration, knownOptions: knownOptions, over: environment)
            }
        } catch {
            // Only the format of the log counts among the variables.
            let log = environment.filter { $0 == Setting.logFormat.name }
            await Program.run(.latchkey, log, logsErrors: declaration.isService) { _ in throw error }
        }
        await Program.run(.latchkey, arguments.environment, logsErrors: declaration.isService) { resolved in
            // A command that fails ends the process without flushing its output, so it is flushed here.
            defer { fflush(nil) }
            try await execute(namingCommand(path) { try type.init(arguments, resolved) })
        }
    }

    private static func printAndExit(_ text: String) -> Never {
        print(text)
        exit(ExitCode.success)
    }

    /// Adds the command to an error, for the reference to its help.
    private func namingCommand<Result>(_ path: [String], _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as UsageError {
            error.path = path
            throw error
        }
    }

    private var knownOptions: Set<String> {
        Set(root.commands.flatMap { $0.type.declaration.options.map(\.name) })
    }

    /// - Throws: `UsageError` if there is no such command.
    package func request(_ words: [String]) throws(UsageError) -> Request {
        switch words.first {
        case nil: return .help(HelpText.text(of: root))
        case "--version", "version": return .version
        case "help":
            // `latchkey help users --help` is the help of the same command.
            let names = words.dropFirst().filter { $0 != "--help" && $0 != "-h" }
            let (node, path, rest) = try find(Array(names))
            guard let extra = rest.first else { return .help(HelpText.text(of: node, at: path)) }
            throw Self.unknownCommand(extra, at: path, among: [])
        case _?:
            let (node, path, rest) = try find(words)
            let beforeOperands = rest.prefix { $0 != "--" }
            if beforeOperands.contains("--help") || beforeOperands.contains("-h") {
                return .help(HelpText.text(of: node, at: path))
            }
            switch node {
            case .command(let type): return .command(type, path: path, words: rest)
            case .group(let group):
                var error = UsageError(
                    "`\(path.joined(separator: " "))` requires a command: "
                        + group.members.map(\.name).joined(separator: ", ") + ".")
                error.path = path
                throw error
            }
        }
    }

    /// - Returns: the command or group that the first words name, its path, and the words after it.
    private func find(_ words: [String]) throws(UsageError) -> (CommandTree, path: [String], rest: [String]) {
        var node = CommandTree.group(root)
        var path = [root.name]
        var rest = words[...]
        while case .group(let group) = node, let word = rest.first, !word.hasPrefix("-") {
            guard let member = group.members.first(where: { $0.name == word }) else {
                throw Self.unknownCommand(word, at: path, among: group.members.map(\.name))
            }
            node = member
            path.append(member.name)
            rest = rest.dropFirst()
        }
        if case .group = node, let word = rest.first, word != "--help", word != "-h" {
            var error = UsageError(
                "The command comes before its options: there is no command \(UsageError.quoted(word)).")
            error.path = path
            throw error
        }
        return (node, path, Array(rest))
    }

    private static func unknownCommand(_ word: String, at path: [String], among names: [String]) -> UsageError {
        let parent = path.dropFirst().map { $0 + " " }.joined()
        let shown = UsageError.quoted(parent + word)
        var error = UsageError(
            "There is no command \(shown)."
                + UsageError.suggestion(for: word, among: names, prefix: path.joined(separator: " ") + " "))
        error.path = path
        return error
    }
}

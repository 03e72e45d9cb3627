package import ServiceRuntime

/// A command as a value: its name, help text, operands and options. The parser, the help, the man page and the shell
/// completions use the same value.
package struct CommandDeclaration: Sendable {
    /// The last word of the command: `list` of `latchkey users list`.
    package let name: String
    /// What the command does: a phrase that begins with a verb, without a full stop.
    package let summary: String
    /// Whole sentences in paragraphs, which are separated by empty lines; empty if there are none.
    package let discussion: String
    package let operands: [Operand]
    package let options: [CommandOption]
    /// Whether the command reads variables of the environment. If not, invalid settings do not stop it.
    package let readsSettings: Bool
    /// Whether standard error is a log: errors have its form then, too.
    package let isService: Bool

    package init(
        _ name: String, _ summary: String, discussion: String = "", operands: [Operand] = [],
        options: [CommandOption] = [], readsSettings: Bool = true, isService: Bool = false
    ) {
        let optionalFirst = operands.firstIndex(where: \.isOptional) ?? operands.endIndex
        precondition(operands[optionalFirst...].allSatisfy(\.isOptional), "\(name): a required operand is last")
        precondition(operands.dropLast().allSatisfy { !$0.canRepeat }, "\(name): only the last operand can repeat")
        precondition(Set(options.map(\.name)).count == options.count, "\(name): an option is declared twice")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.readsSettings = readsSettings
        self.isService = isService
    }
}

/// A command with its code.
/// ```swift
/// struct ShowUserCommand: Command {
///     private static let user = Operand("USER", "user id, e-mail address or phone number")
///     static let declaration = CommandDeclaration(
///         "show", "print one account", operands: [user], options: MeshOptions.all + [.json])
///
///     init(_ arguments: ParsedArguments, _ environment: Environment) throws {
///         user = arguments[Self.user]
///         ...
/// ```
package protocol Command: Sendable {
    static var declaration: CommandDeclaration { get }

    /// - Parameters:
    ///   - arguments: of the command line, which agree with the declaration.
    ///   - environment: the resolved settings (see `Environment.resolved(for:)`), with the files of `--env-file` and the
    ///     options that override settings. `arguments.environment` is the same before it was resolved. Both are empty if
    ///     the command reads no settings.
    /// - Throws: an `ExitError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws

    /// - Throws: an `ExitError`.
    func run() async throws
}

extension Command {
    /// The command of these words. Settings are not resolved: for tests.
    package init(words: [String], over environment: Environment = Environment([:])) throws {
        let arguments = try ParsedArguments(words, of: Self.declaration, over: environment)
        try self.init(arguments, arguments.environment)
    }
}

/// The commands of one executable.
package indirect enum CommandTree: Sendable {
    case command(any Command.Type)
    /// Commands that share their first words.
    case group(CommandGroup)

    package var name: String {
        switch self {
        case .command(let type): type.declaration.name
        case .group(let group): group.name
        }
    }

    package var summary: String {
        switch self {
        case .command(let type): type.declaration.summary
        case .group(let group): group.summary
        }
    }
}

/// Commands that share their first words: `latchkey users`.
package struct CommandGroup: Sendable {
    package let name: String
    package let summary: String
    /// Whole sentences in paragraphs, which are separated by empty lines; empty if there are none.
    package let discussion: String
    package let members: [CommandTree]

    package init(_ name: String, _ summary: String, discussion: String = "", _ members: [CommandTree]) {
        precondition(Set(members.map(\.name)).count == members.count, "\(name): a command is declared twice")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.members = members
    }

    /// A group of commands, without groups in it.
    package init(_ name: String, _ summary: String, discussion: String = "", commands: [any Command.Type]) {
        self.init(name, summary, discussion: discussion, commands.map(CommandTree.command))
    }

    /// Every command below this group, with the words that lead to it, the name of this group included.
    package var commands: [(path: [String], type: any Command.Type)] {
        members.flatMap { member in
            switch member {
            case .command(let type): [([name, type.declaration.name], type)]
            case .group(let group): group.commands.map { ([name] + $0.path, $0.type) }
            }
        }
    }

    /// Every group below this group and the group itself, with the words that lead to it.
    package var groups: [(path: [String], group: CommandGroup)] {
        [([name], self)]
            + members.flatMap { member in
                switch member {
                case .command: [(path: [String], group: CommandGroup)]()
                case .group(let group): group.groups.map { ([name] + $0.path, $0.group) }
                }
            }
    }
}

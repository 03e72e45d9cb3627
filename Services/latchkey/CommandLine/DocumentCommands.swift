import CommandLineArguments
import ServiceRuntime

/// `latchkey man`: prints the manual page.
struct ManCommand: Command {
    static let declaration = CommandDeclaration(
        "man", "print the manual page, which deploy/man/latchkey.1 holds",
        discussion: "`latchkey man | man -l -` shows it.", readsSettings: false)

    private static let exitCodes: [(code: Int32, meaning: String)] = [
        (ExitCode.success, "success"),
        (ExitCode.failure, "the command failed, or found something wrong; standard error says what"),
        (ExitCode.usage, "invalid command line"),
        (ExitCode.data, "damaged data"),
        (ExitCode.settings, "invalid settings"),
    ]

    init(_ arguments: ParsedArguments, _ environment: Environment) {}

    var text: String { ManPage.text(of: LatchkeyCommand.root, exitCodes: Self.exitCodes) }

    func run() { print(text, terminator: "") }
}

/// `latchkey completion SHELL`: prints the completion script for a shell.
struct CompletionCommand: Command {
    private enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    private static let shell = Operand("SHELL", completion: .words(Shell.allCases.map(\.rawValue)), "bash, zsh or fish")

    static let declaration = CommandDeclaration(
        "completion", "print the completion script for a shell",
        discussion: """
            bash: write it to /usr/share/bash-completion/completions/latchkey. zsh: write it to a file _latchkey in a \
            directory of fpath, such as /usr/local/share/zsh/site-functions. fish: \
            /usr/share/fish/vendor_completions.d/latchkey.fish.
            """, operands: [shell], readsSettings: false)

    private let shell: Shell

    init(_ arguments: ParsedArguments, _ environment: Environment) throws(UsageError) {
        guard let shell = Shell(rawValue: arguments[Self.shell]) else {
            throw UsageError("SHELL is bash, zsh or fish.")
        }
        self.shell = shell
    }

    var text: String {
        switch shell {
        case .bash: BashCompletion.script(of: LatchkeyCommand.root)
        case .zsh: ZshCompletion.script(of: LatchkeyCommand.root)
        case .fish: FishCompletion.script(of: LatchkeyCommand.root)
        }
    }

    func run() { print(text, terminator: "") }
}

import CommandLineArguments
import ServiceRuntime
import Testing

@Suite struct CommandRunnerTests {
    private let runner = CommandRunner(testRoot)

    private func help(_ words: String...) throws -> String? {
        guard case .help(let text) = try runner.request(words) else { return nil }
        return text
    }

    @Test func commandIsFoundByItsPath() throws {
        guard case .command(let type, let path, let words) = try runner.request(["files", "copy", "a", "--quiet"])
        else {
            Issue.record("files copy is a command")
            return
        }
        #expect(type is CopyCommand.Type)
        #expect(path == ["tool", "files", "copy"])
        #expect(words == ["a", "--quiet"])
    }

    @Test(arguments: [
        (["nonsense"], "There is no command \"nonsense\".", "See tool --help."),
        (["lsit"], "There is no command \"lsit\". Did you mean tool list?", "See tool --help."),
        (
            ["files", "cpoy"], "There is no command \"files cpoy\". Did you mean tool files copy?",
            "See tool files --help."
        ),
        (["files"], "`tool files` requires a command: copy, list.", "See tool files --help."),
        (
            ["files", "--dev", "copy"], "The command comes before its options: there is no command \"--dev\".",
            "See tool files --help."
        ),
        (["help", "nonsense"], "There is no command \"nonsense\".", "See tool --help."),
        (["help", "list", "more"], "There is no command \"list more\".", "See tool list --help."),
    ])
    func unknownCommandIsNamed(words: [String], sentence: String, reference: String) {
        let failure = #expect(throws: UsageError.self) { try runner.request(words) }
        #expect(failure?.messages == [sentence, reference])
    }

    @Test func helpIsFoundInEveryForm() throws {
        let copy = try #require(try help("help", "files", "copy"))
        #expect(try help("files", "copy", "--help") == copy)
        #expect(try help("files", "copy", "a", "-h", "b") == copy)
        #expect(try help("files", "copy", "--", "--help") == nil)
        let root = try #require(try help())
        #expect(try help("--help") == root)
        #expect(try help("help") == root)
        #expect(try help("files", "--help") == help("help", "files"))
        guard case .version = try runner.request(["--version"]) else {
            Issue.record("--version prints the version")
            return
        }
    }

    @Test func helpNamesEverything() throws {
        #expect(
            try help("files", "copy", "--help") == """
                tool files copy: copy some files

                Usage: tool files copy [OPTION ...] SOURCE [OTHER ...]

                One paragraph of two lines.

                  an example --with 'quotes'

                .A line with a period [and] \\ it's.

                Operands:
                  SOURCE  what to copy
                  OTHER   what else to copy

                Options:
                  -o, --output FILE  where to write
                  -q, --quiet        print nothing
                  --tag NAME         a tag; can be repeated
                  --format FORMAT    output format: text, json
                  --limit N          number of files
                  --data DIR         data directory [LATCHKEY_DATA]
                  --dev              dev mode [LATCHKEY_DEV]
                  --scale NAME=N     processes; can be repeated [LATCHKEY_SCALE]
                  --env-file FILE    read settings from a systemd environment file, which override the variables of
                                     the process; can be repeated
                  -h, --help         print the help of the command
                """)
        #expect(
            try help("--help") == """
                tool \(Program.version): a tool for tests

                Usage: tool COMMAND [OPTION ...]

                Commands:
                  files copy  copy some files
                  files list  list the files
                  list        list the files

                It has commands.

                `tool COMMAND --help` prints the help of one command.
                """)
    }
}

import CommandLineArguments
import Foundation
import TestSupport
import Testing

@Suite struct GeneratedTextTests {
    /// The proposals of bash for the last word. bash separates `--name=value` into three words.
    private func proposals(_ words: [String]) throws -> [String] {
        let script =
            BashCompletion.script(of: testRoot) + """

                COMP_WORDS=("$@")
                COMP_CWORD=$(( $# - 1 ))
                compopt() { :; }
                _tool
                printf '%s\\n' "${COMPREPLY[@]}"
                """
        let output = try run("/bin/bash", ["--norc", "-c", script, "bash"] + words)
        return output.split(separator: "\n").map(String.init)
    }

    private func run(_ program: String, _ arguments: [String], input: String = "") throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: "/")
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        let messages = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 || messages.isEmpty)
        #expect(String(decoding: messages, as: UTF8.self) == "")
        return String(decoding: data, as: UTF8.self)
    }

    @Test(arguments: [
        (["tool", ""], ["files", "list", "help", "version"]),
        (["tool", "fi"], ["files"]),
        (["tool", "files", ""], ["copy", "list"]),
        (["tool", "files", "copy", "--f"], ["--format"]),
        (["tool", "files", "copy", "--format", ""], ["text", "json"]),
        (["tool", "files", "copy", "--format", "=", "j"], ["json"]),
        (["tool", "files", "copy", "--format", "="], ["text", "json"]),
        (["tool", "files", "copy", "--data", "/et"], ["/etc"]),
        (["tool", "files", "copy", "--data=/x", "/et"], ["/etc"]),
        (["tool", "files", "copy", "-o", "out", "--q"], ["--quiet"]),
        (["tool", "files", "copy", "/et"], ["/etc"]),
        (["tool", "files", "copy", "--tag", "files", "/et"], ["/etc"]),
        (["tool", "files", "copy", "--", "--f"], []),
        (["tool", "files", "list", "/et"], []),
        (["tool", "list", "-"], ["--help"]),
        (["tool", "-"], ["--help"]),
    ])
    func bashProposesDeclaredWords(words: [String], expected: [String]) throws {
        #expect(try proposals(words) == expected)
    }

    /// zsh is not on every machine; its parser reads the script where it is.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")))
    func zshReadsItsScript() throws {
        let script = ZshCompletion.script(of: testRoot)
        let directory = try TemporaryDirectory()
        try Data(script.utf8).write(to: URL(filePath: directory.appending("_tool")))
        _ = try run("/usr/bin/zsh", ["-f", "-n", directory.appending("_tool")])
        let functions = "fpath=(\(directory.path) $fpath); autoload -Uz compinit; compinit -D -u; print $_comps[tool]"
        #expect(try run("/usr/bin/zsh", ["-f", "-c", functions]) == "_tool\n")
    }

    @Test func zshScriptHasEveryCommand() {
        let script = ZshCompletion.script(of: testRoot)
        #expect(script.hasPrefix("#compdef tool\n"))
        for line in [
            "_tool_files_copy() {", "'files:work with files'", "        copy) _tool_files_copy ;;",
            "'*--scale=[processes]:NAME=N: '", "'(--output -o)-o+[where to write]:FILE:_files'",
            "'--format=[output format]:FORMAT:(text json)'", "'--data=[data directory]:DIR:_files -/'",
            "'1:SOURCE:_files'", "'*::OTHER: '",
        ] { #expect(script.contains(line), "\(line)") }
    }

    /// fish is not on every machine; it completes with its script where it is.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")),
        arguments: [
            ("tool ", ["files", "help", "list", "version"]),
            ("tool fi", ["files"]),
            ("tool files ", ["copy", "list"]),
            ("tool files copy --f", ["--format"]),
            ("tool files copy --format ", ["json", "text"]),
            ("tool files copy --format=j", ["--format=json"]),
            ("tool files copy --data /et", ["/etc/"]),
            ("tool files copy -o out --q", ["--quiet"]),
            ("tool files copy /et", ["/etc/"]),
            ("tool files list /et", []),
            ("tool list --", ["--help"]),
        ])
    func fishProposesDeclaredWords(line: String, expected: [String]) throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("tool.fish")
        try Data(FishCompletion.script(of: testRoot).utf8).write(to: URL(filePath: file))
        let command = "source $argv[1]; complete -C $argv[2]"
        let output = try run("/usr/bin/fish", ["--no-config", "-c", command, file, line])
        #expect(
            output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) } == expected)
    }

    @Test func fishScriptHasEveryCommand() {
        let script = FishCompletion.script(of: testRoot)
        for line in [
            "complete -c tool -n '__tool_is tool' -a 'files' -d 'work with files'",
            "complete -c tool -n '__tool_is tool files copy' -s o -l output -r -F -d 'where to write'",
            "complete -c tool -n '__tool_is tool files copy' -l format -x -a 'text json' -d 'output format'",
            "complete -c tool -n '__tool_is tool files copy' -l scale -x -d 'processes'",
            "complete -c tool -n '__tool_is tool files copy' -F",
        ] { #expect(script.contains(line + "\n"), "\(line)") }
    }

    @Test func manualPageEscapesText() throws {
        let page = ManPage.text(of: testRoot, exitCodes: [(0, "success")])
        for line in [
            ".SH NAME\ntool \\- a tool for tests\n", "\n.SS \"tool files copy [OPTION ...] SOURCE [OTHER ...]\"\n",
            "\n\\&.A line with a period [and] \\e it's.\n",
            "\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nWhere to write.\n",
            "\n.nf\n  an example \\-\\-with 'quotes'\n.fi\n", "\n.TP\n.B 0\nSuccess.\n",
        ] { #expect(page.contains(line), "\(line)") }
    }
}

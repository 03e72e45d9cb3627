import CommandLineArguments
import Foundation
import ServiceRuntime
import Settings
import TestSupport
import Testing

@Suite struct ParsedArgumentsTests {
    private func parsed(
        _ words: [String], over variables: [String: String] = [:], knownOptions: Set<String> = []
    ) throws -> ParsedArguments {
        try ParsedArguments(
            words, of: CopyCommand.declaration, knownOptions: knownOptions, over: Environment(variables))
    }

    @Test func optionsAndOperandsAreRead() throws {
        let arguments = try parsed(["a", "--tag=x=y", "-o", "out", "-q", "b", "--tag", "z", "--", "--data", "-x"])
        #expect(arguments[CopyCommand.source] == "a")
        #expect(arguments.all(CopyCommand.others) == ["b", "--data", "-x"])
        #expect(arguments.values(CopyCommand.tag) == ["x=y", "z"])
        #expect(arguments.value(CopyCommand.output) == "out")
        #expect(arguments.has(CopyCommand.quiet) && !arguments.has(CopyCommand.dev))
        #expect(arguments.value(CopyCommand.format) == nil)
        #expect(try parsed(["-oout", "-"]).value(CopyCommand.output) == "out")
        #expect(try parsed(["a"]).optional(CopyCommand.others) == nil)
    }

    @Test(arguments: [
        ([], "`copy` requires SOURCE."),
        ([""], "SOURCE is empty."),
        (["a", "--output"], "--output requires FILE."),
        (["a", "--output="], "--output requires FILE."),
        (["a", "--output", "--quiet"], "--output requires FILE."),
        (["a", "-o"], "-o requires FILE."),
        (["a", "--quiet=1"], "--quiet takes no value."),
        (["a", "-qx"], "-q takes no value."),
        (["a", "--output", "b", "-o", "c"], "-o is given twice."),
        (["a", "--dev", "--dev"], "--dev is given twice."),
        (["a", "--outptu", "b"], "There is no option \"--outptu\". Did you mean --output?"),
        (["a", "-x"], "There is no option \"-x\"."),
        (["a", "--nonsense\u{1b}[31m"], "There is no option \"--nonsense\\u001b[31m\"."),
        (["a", "--format", "jsno"], "--format is \"jsno\", and can be: text, json. Did you mean json?"),
        (["a", "--replace"], "--replace has no effect with `copy`."),
    ])
    func invalidCommandLineIsRefused(words: [String], sentence: String) {
        let failure = #expect(throws: UsageError.self) { try parsed(words, knownOptions: ["replace"]) }
        #expect(failure?.sentence == sentence)
        #expect(failure?.exitCode == 64)
    }

    @Test func surplusOperandIsRefused() {
        let failure = #expect(throws: UsageError.self) {
            try ParsedArguments(["more"], of: ListCommand.declaration, over: Environment([:]))
        }
        #expect(failure?.sentence == "`list` takes no operand \"more\".")
    }

    @Test(arguments: [("1", 1), ("10", 10), ("0", nil), ("11", nil), ("1e1", nil), ("-1", nil)] as [(String, Int?)])
    func numberIsInItsRange(text: String, expected: Int?) throws {
        let arguments = try parsed(["a", "--limit", text])
        guard let expected else {
            #expect(throws: UsageError.self) { try arguments.integer(CopyCommand.limit, 1...10) }
            return
        }
        #expect(try arguments.integer(CopyCommand.limit, 1...10) == expected)
    }

    @Test func optionOverridesItsSetting() throws {
        let environment = try parsed(
            ["a", "--dev", "--data", "/d", "--scale", "broker=2", "--scale=notifier=4"], over: ["LATCHKEY_DATA": "/e"]
        ).environment
        #expect(environment[.dev] == "1")
        #expect(environment[.data] == "/d")
        #expect(environment[.scale] == "broker=2,notifier=4")
    }

    @Test func environmentFileOverridesProcessAndOptionOverridesFile() throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (directory.appending("first.env"), directory.appending("second.env"))
        try Data("LATCHKEY_DATA=/first\nLATCHKEY_LOG=error\nLATCHKEY_PROJECT=shop\n".utf8).write(
            to: URL(filePath: first))
        try Data("LATCHKEY_LOG=warn\n".utf8).write(to: URL(filePath: second))
        let variables = ["LATCHKEY_DATA": "/process", "LATCHKEY_LOG": "debug", "LATCHKEY_ONLY": "gateway"]
        let files = ["--env-file", first, "--env-file", second]
        let environment = try parsed(["a"] + files, over: variables).environment
        #expect(environment[.data] == "/first")
        #expect(environment[.log] == "warn")
        #expect(environment[.project] == "shop")
        #expect(environment[.only] == "gateway")
        #expect(try parsed(["a", "--data", "/option"] + files).environment[.data] == "/option")
        // The units set this directory beside their files.
        #expect(try parsed(["a", "--env-file", second]).environment[.data] == "/var/lib/latchkey")
        #expect(try parsed(["a", "--dev", "--env-file", second]).environment[.data] == nil)
        #expect(try parsed(["a"]).environment[.data] == nil)
    }
}

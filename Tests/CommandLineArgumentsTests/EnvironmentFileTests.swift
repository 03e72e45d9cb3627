import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import CommandLineArguments

@Suite struct EnvironmentFileTests {
    /// The rules of systemd.exec(5).
    @Test(arguments: [
        ("A=1\nB=2", ["A": "1", "B": "2"]),
        ("# A=1\n; B=2\n\n  C=3  \n", ["C": "3"]),
        ("A=one two  \r\n", ["A": "one two"]),
        ("A=\n", ["A": ""]),
        ("A=1\nA=2\n", ["A": "2"]),
        (#"A="one  two "\#nB='three "four" \n'"#, ["A": "one  two ", "B": #"three "four" \n"#]),
        (#"A="say \"hi\" \\ \$"\#n"#, ["A": #"say "hi" \ $"#]),
        ("A=one\\\ntwo\nB=\"one\ntwo\"", ["A": "onetwo", "B": "one\ntwo"]),
        (#"A=a\ b"#, ["A": "a b"]),
        ("A=x#y=z", ["A": "x#y=z"]),
        ("A=postgres://a:b@c/d?x=y", ["A": "postgres://a:b@c/d?x=y"]),
    ])
    func variablesAreRead(text: String, variables: [String: String]) throws {
        #expect(try EnvironmentFile(Array(text.utf8)).variables == variables)
    }

    @Test(arguments: [("A", 1), ("A=1\nexport B=2", 2), ("=1", 1), ("1A=2", 1), ("\n\nA=\"open\n", 3), ("A=\\", 1)])
    func invalidLineIsNamed(text: String, line: Int) {
        #expect(throws: EnvironmentFile.Syntax(line: line)) { try EnvironmentFile(Array(text.utf8)) }
    }

    @Test func bytesThatAreNotTextAreRefused() {
        #expect(throws: EnvironmentFile.Syntax(line: 1)) { try EnvironmentFile([0x41, 0x3d, 0xff]) }
        #expect(throws: EnvironmentFile.Syntax(line: 1)) { try EnvironmentFile([0x41, 0x3d, 0x00]) }
    }

    @Test func unusableFileIsNamed() throws {
        let missing = #expect(throws: EnvironmentFileError.self) { try EnvironmentFile(path: "/nowhere/a.env") }
        #expect(missing?.exitCode == ExitCode.settings)
        #expect(missing?.messages.first?.hasPrefix("/nowhere/a.env cannot be read: No such file") == true)

        let directory = try TemporaryDirectory()
        let file = directory.appending("large.env")
        let largest = "A=" + String(repeating: "x", count: EnvironmentFile.maximumBytes - 2)
        try Data(largest.utf8).write(to: URL(filePath: file))
        #expect(try EnvironmentFile(path: file).variables["A"]?.utf8.count == EnvironmentFile.maximumBytes - 2)
        try Data((largest + "x").utf8).write(to: URL(filePath: file))
        #expect(throws: EnvironmentFileError(path: file, reason: .tooLarge)) { try EnvironmentFile(path: file) }
    }
}

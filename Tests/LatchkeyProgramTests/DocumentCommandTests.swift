import CommandLineArguments
import Foundation
import ServiceRuntime
import Testing

@testable import LatchkeyProgram

@Suite struct DocumentCommandTests {
    /// `make settings` writes the page again.
    @Test func manualPageInDeployIsCurrent() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/man/latchkey.1")
        #expect(try String(contentsOf: file, encoding: .utf8) == ManCommand(words: []).text)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionHasEveryCommand(shell: String) throws {
        let script = try CompletionCommand(words: [shell]).text
        for (path, _) in LatchkeyCommand.root.commands { #expect(script.contains(path.last ?? "")) }
        #expect(throws: UsageError.self) { try CompletionCommand(words: ["csh"]) }
    }

    /// Phrases form sentences in the manual page, and rows in tables.
    @Test func phrasesHaveOneForm() {
        for (path, type) in LatchkeyCommand.root.commands {
            let declaration = type.declaration
            let phrases =
                [declaration.summary] + declaration.operands.map(\.meaning) + declaration.options.map(\.meaning)
            for phrase in phrases {
                #expect(!phrase.isEmpty && !phrase.hasSuffix("."), "\(path.joined(separator: " ")): \(phrase)")
            }
        }
    }

    /// What prints data prints it for programs, too. Documents have a form of their own.
    @Test(arguments: LatchkeyCommand.root.commands.map(\.path))
    func everyCommandThatPrintsDataHasJSON(path: [String]) throws {
        let documents: Set = [
            "client-config web", "client-config ios", "client-config android", "projects config get", "tenants show",
            "audit export", "man", "completion", "keys bus create",
        ]
        let type = try #require(LatchkeyCommand.root.commands.first { $0.path == path }?.type)
        let isData =
            type.declaration.summary.hasPrefix("print ")
            || ["check", "doctor", "backup", "restore", "create", "init"].contains(type.declaration.name)
        let isDocument = documents.contains(path.dropFirst().joined(separator: " "))
        #expect(type.declaration.options.contains { $0.name == "json" } == (isData && !isDocument) || !isData)
    }

    @Test(arguments: LatchkeyCommand.root.commands.map(\.path))
    func everyCommandHasHelp(path: [String]) throws {
        guard case .help(let text) = try CommandRunner(LatchkeyCommand.root).request(path.dropFirst() + ["--help"])
        else {
            Issue.record("no help")
            return
        }
        #expect(text.hasPrefix(path.joined(separator: " ") + ": "))
    }
}

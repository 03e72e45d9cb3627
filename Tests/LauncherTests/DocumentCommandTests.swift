import CommandLineArguments
import Foundation
import ServiceRuntime
import Testing

@testable import Launcher

@Suite struct DocumentCommandTests {
    /// `make settings` writes the page again.
    @Test func manualPageInDeployIsCurrent() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/man/latchkey.1")
        #expect(try String(contentsOf: file, encoding: .utf8) == ManCommand(words: []).text)
    }

    @Test(arguments: ["bash", "zsh"])
    func completionHasEveryCommand(shell: String) throws {
        let script = try CompletionCommand(words: [shell]).text
        for (path, _) in LatchkeyCommand.root.commands { #expect(script.contains(path.last ?? "")) }
        #expect(throws: UsageError.self) { try CompletionCommand(words: ["fish"]) }
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

import ServiceRuntime
import Synchronization
import Testing

@testable import LatchkeyProgram

@Suite struct CommandOutputTests {
    private struct User: Encodable {
        var name: String
        var email: String?
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock(\.self) }
    }

    private let lines = Lines()
    private let notes = Lines()

    private func output(isJSON: Bool = false, columns: Int? = nil) -> CommandOutput {
        CommandOutput(
            isJSON: isJSON, terminalColumns: columns, printLine: { [lines] in lines.append($0) },
            printNote: { [notes] in notes.append($0) })
    }

    private func list(on output: CommandOutput, _ pages: [User]...) throws -> Int {
        var list = output.list(OutputColumn<User>("NAME", \.name), OutputColumn("EMAIL") { $0.email ?? "-" })
        for page in pages { try list.append(page) }
        return list.count
    }

    @Test func columnsAreAligned() throws {
        let count = try list(
            on: output(), [User(name: "Al"), User(name: "Beatrice", email: "b@example.com")], [],
            [User(name: "Christopher", email: "c")])
        #expect(
            lines.all == [
                "NAME      EMAIL", "Al        -", "Beatrice  b@example.com", "Christopher  c",
            ])
        #expect(count == 3)
    }

    @Test func emptyListHasNoTitles() throws {
        #expect(try list(on: output(), []) == 0)
        #expect(lines.all == [])
    }

    @Test func controlCharactersAreEscaped() throws {
        _ = try list(on: output(), [User(name: "\u{1b}[31m\nx\u{202e}", email: "a\"b")])
        #expect(lines.all.last == "\\u001b[31m\\nx\\u202e  a\"b")
    }

    @Test func lineIsCutAtWidthOfTerminalOnly() throws {
        let long = String(repeating: "x", count: 5000)
        _ = try list(on: output(columns: 20), [User(name: long)])
        #expect(lines.all.last == String(repeating: "x", count: 19) + "…")
        _ = try list(on: output(), [User(name: long)])
        #expect(lines.all.last == long + "  -")
    }

    @Test func jsonHasOneLineForEachRow() throws {
        let output = output(isJSON: true)
        _ = try list(on: output, [User(name: "a\n/", email: "b")], [User(name: "c")])
        try output.show(User(name: "d"), "a sentence")
        output.note("2 users")
        #expect(lines.all == [#"{"email":"b","name":"a\n/"}"#, #"{"name":"c"}"#, #"{"name":"d"}"#])
        #expect(notes.all == ["2 users"])
    }

    @Test func fieldsAreAlignedAndAbsentOnesOmitted() throws {
        try output().show(User(name: "a"), [("name", "a"), ("email", nil), ("created", "now")])
        output().note("done")
        #expect(lines.all == ["name     a", "created  now", "done"])
    }
}

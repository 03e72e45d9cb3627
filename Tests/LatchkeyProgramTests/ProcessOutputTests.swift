import ServiceRuntime
import Synchronization
import Testing
import Vocabulary

@testable import LatchkeyProgram

struct OutputLinesTests {
    private var lines = OutputLines()

    @Test mutating func bytesAreSplitIntoLines() {
        var received: [String] = []
        for byte in "one\ntwo é\n\nthree".utf8 { received += lines.receive([byte]) }
        received += lines.end()
        #expect(received == ["one", "two é", "three"])
    }

    @Test mutating func lineLengthIsBounded() {
        var received = lines.receive(Array(repeating: UInt8(ascii: "a"), count: OutputLines.maximumBytes + 1000))
        received += lines.receive(Array("\nnext\n".utf8))
        #expect(received.map(\.utf8.count) == [OutputLines.maximumBytes, 4])
    }

    @Test mutating func invalidUTF8IsRepaired() {
        let received = lines.receive([0xff, 0xfe, UInt8(ascii: "\n")])
        #expect(received == ["\u{fffd}\u{fffd}"])
    }
}

struct ProcessOutputTests {
    private final class Lines: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }
        func add(_ line: String) { kept.withLock { $0.append(line) } }
    }

    private let written = Lines()

    private func output(_ format: Log.Format) -> ProcessOutput {
        ProcessOutput(
            instance: "identity.1",
            log: Log(
                instance: "latchkey", settings: .init(format: format), now: { .init(milliseconds: 0) },
                write: written.add),
            write: written.add)
    }

    @Test func logLinesAreForwardedUnchanged() {
        let text = "2026-11-20T19:00:00.123Z info identity.1 process.stopped"
        output(.text).receive(text)
        let json = #"{"time":"2026-11-20T19:00:00.123Z","level":"info"}"#
        output(.json).receive(json)
        #expect(written.all == [text, json])
    }

    @Test func otherOutputBecomesLogLineAndIsKept() {
        let output = output(.text)
        output.receive("Fatal error: \u{1b}[31mred")
        #expect(
            written.all == [
                "1970-01-01T00:00:00.000Z warn identity.1 process.output line=\"Fatal error: \\u001b[31mred\""
            ])
        #expect(output.lastOutputLines == ["Fatal error: \\u001b[31mred"])
    }

    @Test func outputKeepsQuotesWithoutDuplicates() {
        let output = output(.text)
        for _ in 1...3 { output.receive(#"identity: LATCHKEY_LOG is "loud"."#) }
        #expect(output.lastOutputLines == [#"identity: LATCHKEY_LOG is "loud"."#])
    }

    @Test func onlyLastOutputLinesAreKept() {
        let output = output(.text)
        for number in 1...20 { output.receive("word \(number)") }
        #expect(output.lastOutputLines == (13...20).map { "word \($0)" })
    }
}

import Contracts
import Foundation
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

/// A log that stores its lines, with a constant time.
private final class RecordedLog: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }

    func log(_ settings: LogSettings = .init()) -> Log {
        Log(
            instance: "identity.1", settings: settings, now: { Moment(milliseconds: 1_795_201_200_123) },
            write: { line in self.kept.withLock { $0.append(line) } })
    }
}

struct LogTests {
    private let record = RecordedLog()

    @Test func textLineHasTimeLevelInstanceEventFieldsAndTrace() {
        let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        record.log().info(
            .mailRejected,
            [
                "session": .public(AccountID("abc")), "reason": "two words", "count": 3,
                "took": .public(Duration.seconds(2)),
            ],
            trace: trace)
        #expect(
            record.lines == [
                "2026-11-20T19:00:00.123Z info identity.1 mail.rejected session=abc reason=\"two words\" count=3 "
                    + "took=2000 trace=4bf92f3577b34da6a3ce929d0e0e4736"
            ])
    }

    @Test func jsonLineIsOneObject() throws {
        struct Line: Decodable, Equatable {
            struct Fields: Decodable, Equatable { var reason: String, count: Int }
            var time: String, level: String, instance: String, event: String, fields: Fields
        }
        record.log(.init(format: .json)).warn(.mailRejected, ["reason": .public("a \"b\"\n\u{2028}c"), "count": 3])
        let line = try #require(record.lines.first)
        #expect(
            try JSONDecoder().decode(Line.self, from: Data(line.utf8))
                == Line(
                    time: "2026-11-20T19:00:00.123Z", level: "warn", instance: "identity.1", event: "mail.rejected",
                    fields: .init(reason: "a \"b\"\n\u{2028}c", count: 3)))
    }

    /// A full disk causes one line a minute, however many requests fail.
    @Test func repeatedEventIsLoggedOncePerMinuteWithCount() {
        let clock = ManualClock()
        let lines = Mutex<[String]>([])
        let log = Log(
            instance: "identity.1", now: { clock.now }, instant: { clock.instant },
            write: { line in lines.withLock { $0.append(line) } })
        func fail(_ reason: String) {
            log.errorOnceAMinute(.deliveryStoreFailed, about: reason, ["reason": .public(reason)])
        }
        func ends() -> [String] {
            lines.withLock { $0.map { $0.split(separator: " ").dropFirst(3).joined(separator: " ") } }
        }
        for _ in 0..<1000 { fail("full") }
        #expect(ends() == ["delivery.store-failed reason=full repeated=0"])
        fail("busy")
        #expect(ends().count == 2)
        // A step of the time of day neither suppresses lines nor adds one.
        clock.setWall(clock.now + .seconds(365 * 86_400))
        fail("full")
        clock.setWall(Moment(milliseconds: 1_000))
        fail("full")
        #expect(ends().count == 2)
        clock.advance(by: .milliseconds(59_999))
        fail("full")
        #expect(ends().count == 2)
        clock.advance(by: .milliseconds(1))
        fail("full")
        #expect(ends().last == "delivery.store-failed reason=full repeated=1002")
        // The number of subjects is bounded, and events beyond it are written.
        for number in 0..<1000 { fail("\(number)") }
        #expect(ends().count == 1003)
        #expect(lines.withLock { $0.count } == 1003)
    }

    @Test(arguments: Log.Level.allCases)
    func levelFiltersLines(level: Log.Level) {
        let log = record.log(.init(level: level))
        log.debug(.processStopped)
        log.info(.processStopped)
        log.warn(.processStopped)
        log.error(.processStopped)
        #expect(record.lines.count == Log.Level.allCases.filter { $0 >= level }.count)
    }

    /// Security rule LG2.
    @Test(arguments: [
        ("\r\n", "\\r\\n"), ("\u{1b}[2J", "\\u001b[2J"), ("\u{2028}\u{2029}", "\\u2028\\u2029"), ("\u{85}", "\\u0085"),
        ("\u{9b}31m", "\\u009b31m"), ("\0", "\\u0000"), ("\u{202e}abc", "\\u202eabc"), ("\u{7f}", "\\u007f"),
        ("\u{e0001}", "\\udb40\\udc01"), ("\\", "\\\\"), ("\"", "\\\""), ("é 漢 🙂", "é 漢 🙂"),
    ])
    func controlCharactersAreEscaped(text: String, escaped: String) {
        #expect(LogEscaping.escaped(text, maximumBytes: 100) == escaped)
        record.log().info(.processStopped, ["text": .public("x = " + text)])
        #expect(record.lines.first?.hasSuffix("process.stopped text=\"x = \(escaped)\"") == true)
    }

    @Test func escapedTextIsBounded() {
        #expect(LogEscaping.escaped("12345678", maximumBytes: 11) == "12345678")
        #expect(LogEscaping.escaped("123456789", maximumBytes: 11) == "12345678…")
        #expect(LogEscaping.escaped("1234567\n", maximumBytes: 11) == "1234567…")
    }

    @Test func wholeLineKeepsItsQuotes() {
        #expect(LogEscaping.escaped(#"a "b" \c"#, maximumBytes: 100, betweenQuotes: false) == #"a "b" \c"#)
        #expect(LogEscaping.escaped("a\nb\u{1b}", maximumBytes: 100, betweenQuotes: false) == #"a\nb\u001b"#)
    }

    @Test(arguments: Log.Format.allCases)
    func longLineIsTruncatedAndMarked(format: Log.Format) throws {
        let long = LogValue.public(String(repeating: "é", count: 5000))
        record.log(.init(format: format)).info(
            .processStopped, ["a": long, "b": long, "c": long, "d": long, "e": long], trace: .random())
        let line = try #require(record.lines.first)
        #expect(line.utf8.count < 4096)
        #expect(line.contains("truncated"))
        #expect(line.contains("trace"))
        if format == .json {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    @Test func errorFieldShowsOnlyItsType() {
        struct Leaky: Error { var password = "hunter2" }
        record.log().error(.processStopped, ["error": .kind(of: Leaky())])
        #expect(record.lines.first?.contains("hunter2") == false)
        #expect(record.lines.first?.contains("Leaky") == true)
    }
}

import Contracts
import Foundation
import HTTPClient
import Settings
import Synchronization
import Testing
import Tracing

@testable import ServiceRuntime

struct TraceExporterTests {
    private typealias Answer = Result<HTTPClientResponse, HTTPClientError>

    /// Answers with a script, then with success.
    private final class Receiver: Sendable {
        let script: Mutex<[Answer]>
        let requests = Mutex<[HTTPClientRequest]>([])
        let pauses = Mutex<[Duration]>([])

        init(_ script: [Answer]) { self.script = Mutex(script) }

        func answer(_ request: HTTPClientRequest) -> Answer {
            requests.withLock { $0.append(request) }
            return script.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? .success(.init(status: 200))
        }
    }

    private let spans = SpanRecorder(sampledPercent: 100)

    private func record(_ count: Int) {
        for _ in 0..<count { spans.begin(.server, parent: nil).end("GET /") }
    }

    private func exporter(_ receiver: Receiver) -> TraceExporter {
        TraceExporter(
            spans, of: TraceResource(service: "gateway", instance: "gateway.1", version: "1"),
            to: TraceSettings(receiver: "http://collector.test:4318"), log: Log(instance: "gateway.1", write: { _ in }),
            pause: { time in receiver.pauses.withLock { $0.append(time) } }, send: receiver.answer)
    }

    private func values(_ exporter: TraceExporter) -> [String: Double] {
        Dictionary(
            exporter.metrics.map { ($0.labels["reason"] ?? $0.name, $0.value) }, uniquingKeysWith: { first, _ in first }
        )
    }

    @Test func everyBatchIsSent() async {
        let receiver = Receiver([])
        let exporter = exporter(receiver)
        record(SpanRecorder.batchSize + 1)
        await exporter.export()
        let requests = receiver.requests.withLock(\.self)
        #expect(requests.map(\.url) == Array(repeating: "http://collector.test:4318/v1/traces", count: 2))
        #expect(requests.allSatisfy { $0.headers.contains { $0.value == "application/json" } })
        #expect(values(exporter)["latchkey_traces_exported_spans_total"] == Double(SpanRecorder.batchSize + 1))
    }

    private static let retried: [HTTPClientResponse] = [
        .init(status: 429, headers: [("Retry-After", "3")]), .init(status: 503, headers: [("retry-after", "60")]),
    ]

    @Test func batchIsSentAgainIfTheReceiverAsksForIt() async {
        let receiver = Receiver(Self.retried.map { .success($0) })
        let exporter = exporter(receiver)
        record(5)
        await exporter.export()
        let bodies = receiver.requests.withLock { $0.map(\.body) }
        #expect(bodies.count == 3 && Set(bodies).count == 1)
        #expect(receiver.pauses.withLock(\.self) == [.seconds(3), .seconds(60)])
        #expect(values(exporter)["latchkey_traces_exported_spans_total"] == 5)
    }

    private static let dropping: [Answer] = [
        .success(.init(status: 503)), .success(.init(status: 429, headers: [("Retry-After", "soon")])),
        .success(.init(status: 429, headers: [("Retry-After", "61")])),
        .success(.init(status: 500, headers: [("Retry-After", "1")])), .success(.init(status: 302)),
        .failure(.cannotConnect), .failure(.timedOut), .failure(.tooLarge), .failure(.other(code: 1, "no HTTP")),
    ]

    @Test(arguments: dropping.indices) func otherBatchesAreDroppedAtOnce(index: Int) async {
        let receiver = Receiver([Self.dropping[index]])
        let exporter = exporter(receiver)
        record(SpanRecorder.batchSize + 1)
        await exporter.export()
        // The next batch waits for the next export.
        #expect(receiver.requests.withLock(\.count) == 1 && receiver.pauses.withLock(\.isEmpty))
        #expect(values(exporter)["receiver"] == Double(SpanRecorder.batchSize))
        #expect(spans.waitingSpans == 1)
    }

    @Test func batchIsDroppedAfterThreeAttempts() async {
        let receiver = Receiver(Array(repeating: .success(Self.retried[0]), count: 3))
        let exporter = exporter(receiver)
        record(1)
        await exporter.export()
        #expect(receiver.requests.withLock(\.count) == 3 && values(exporter)["receiver"] == 1)
    }

    /// Bodies of responses with status 200, and the number of spans that count as rejected, of five.
    private static let bodies: [(String, Double)] = [
        ("", 0), ("{}", 0), (#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"a"}}"#, 2),
        (#"{"partialSuccess":{"rejectedSpans":3}}"#, 3), (#"{"partialSuccess":{"rejectedSpans":-3}}"#, 0),
        (#"{"partialSuccess":{"rejectedSpans":"99999999999999999"}}"#, 5), ("<html>", 0),
        (String(repeating: "[", count: 10_000), 0), (#"{"partialSuccess":[]}"#, 0), ("\u{0}", 0),
    ]

    @Test(arguments: bodies) func bodyOfTheReceiverIsNotTrusted(body: String, rejected: Double) async {
        let receiver = Receiver([.success(.init(status: 200, body: Data(body.utf8)))])
        let exporter = exporter(receiver)
        record(5)
        await exporter.export()
        #expect(values(exporter)["receiver"] == rejected)
        #expect(values(exporter)["latchkey_traces_exported_spans_total"] == 5 - rejected)
    }

    /// However it replies: the subjects of lines that are logged once a minute are few.
    @Test func receiverThatRepliesDifferentlyEachTimeIsLoggedOnce() async {
        let receiver = Receiver((400..<700).map { .success(HTTPClientResponse(status: $0, headers: [])) })
        let lines = Mutex<[String]>([])
        let start = ContinuousClock.now
        let exporter = TraceExporter(
            spans, of: TraceResource(service: "gateway", instance: "gateway.1", version: "1"),
            to: TraceSettings(receiver: "http://collector.test:4318"),
            log: Log(
                instance: "gateway.1", instant: { start }, write: { line in lines.withLock { $0.append(line) } }),
            send: receiver.answer)
        for _ in 400..<700 {
            record(1)
            await exporter.export()
        }
        #expect(receiver.requests.withLock(\.count) == 300)
        #expect(lines.withLock { $0.count { $0.contains("traces.not-exported") } } == 1)
    }

    @Test func processStopsAlthoughTheReceiverDoesNotAnswer() async throws {
        let exporter = TraceExporter(
            spans, of: TraceResource(service: "gateway", instance: "gateway.1", version: "1"),
            to: TraceSettings(receiver: "http://collector.test:4318"), log: Log(instance: "gateway.1", write: { _ in }),
            send: { _ in
                try? await Task.sleep(for: .seconds(3600))
                return .failure(.timedOut)
            })
        record(1)
        async let end: Void = exporter.run()
        await exporter.beginShutdown()
        try await end
    }

    @Test(arguments: [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("https://collector.test/otlp/", "https://collector.test/otlp/v1/traces"),
    ]) func receiverIsAnAddressWithOrWithoutPath(text: String, url: String) throws {
        var reader = SettingsReader(Environment(["LATCHKEY_OTLP_URL": text]), of: .service(.gateway))
        let settings = TraceSettings(from: &reader)
        try reader.finish()
        #expect(settings?.url == url && settings?.sampledPercent == 100)
    }

    @Test(arguments: [
        ["LATCHKEY_OTLP_URL": "collector.test:4318"], ["LATCHKEY_OTLP_URL": "http://collector.test/?a=b"],
        ["LATCHKEY_OTLP_SAMPLE_PERCENT": "10"],
        ["LATCHKEY_OTLP_URL": "http://collector.test", "LATCHKEY_OTLP_SAMPLE_PERCENT": "101"],
    ]) func settingsWithoutEffectAreRefused(variables: [String: String]) {
        var reader = SettingsReader(Environment(variables), of: .service(.gateway))
        _ = TraceSettings(from: &reader)
        #expect(throws: SettingsError.self) { try reader.finish() }
    }

    /// The variable is named, and its value, which may hold a password or a token, is not shown.
    @Test(arguments: [
        "http://ada:hunter2@collector.test:4318", "https://hunter2@collector.test", "http://:hunter2@127.0.0.1",
        "http://ada:@collector.test/hunter2", "http://collector.test/?key=hunter2", "http://collector.test/#hunter2",
        "hunter2", "ftp://hunter2.test", "http://collector.test\\@hunter2", "http://collector.test/\nhunter2",
    ]) func unusableReceiverIsNamedWithoutItsValue(text: String) {
        var reader = SettingsReader(Environment(["LATCHKEY_OTLP_URL": text]), of: .service(.gateway))
        #expect(TraceSettings(from: &reader) == nil)
        do throws(SettingsError) {
            try reader.finish()
            Issue.record("\(text) was accepted")
        } catch {
            #expect(error.issues.map(\.setting) == ["LATCHKEY_OTLP_URL"])
            #expect(!"\(error)".contains("hunter2") && !"\(error)".contains("ada"))
        }
    }
}

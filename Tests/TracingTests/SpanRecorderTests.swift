import Contracts
import Foundation
import Testing
import Tracing

struct SpanRecorderTests {
    private static let sampled = TraceContext(
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "vendor=1")
    private static let unsampled = TraceContext(
        traceparent: "00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")

    /// At the same time by both clocks, so that a span has no duration.
    private func recorder(_ percent: Int) -> SpanRecorder {
        let time = SpanTime(nanoseconds: 1_700_000_000_000_000_001, steady: .now)
        return SpanRecorder(sampledPercent: percent, now: { time })
    }

    @Test(arguments: [0, 100]) func parentDecidesWhetherItsSpansAreRecorded(percent: Int) throws {
        let recorder = recorder(percent)
        for parent in [try #require(Self.sampled), try #require(Self.unsampled)] {
            let span = recorder.begin(.server, parent: parent)
            #expect(span.context.traceID == parent.traceID && span.context.spanID != parent.spanID)
            span.beginRequest().end("GET")
            span.end("GET /")
        }
        let batch = recorder.takeBatch()
        #expect(batch.map(\.name) == ["GET", "GET /"])
        #expect(batch.allSatisfy { $0.context.traceID == Self.sampled?.traceID && $0.context.state == "vendor=1" })
        #expect(batch.last?.parentID == "00f067aa0ba902b7" && batch.first?.parentID == batch.last?.context.spanID)
        #expect(batch.map(\.kind) == [.client, .server])
    }

    @Test(arguments: [(0, 0), (100, 500)]) func percentageDecidesForNewTraces(percent: Int, expected: Int) {
        let recorder = recorder(percent)
        for _ in 0..<500 { recorder.begin(.server, parent: nil).end("GET /") }
        #expect(recorder.waitingSpans == expected)
    }

    @Test func attemptIsRecordedIfOneOfItsRequestsIs() throws {
        let recorder = recorder(0)
        let origins = [try #require(Self.unsampled), try #require(Self.sampled)]
        recorder.begin(.internal, for: origins).end("deliver mails")
        recorder.begin(.internal, for: [origins[0]]).end("deliver mails")
        recorder.begin(.internal, for: []).end("deliver mails")
        let batch = recorder.takeBatch()
        #expect(batch.count == 1 && batch.first?.links == origins && batch.first?.parentID == nil)
        #expect(batch.first?.context.traceID != origins[1].traceID)
    }

    @Test func spansBeyondTheCapacityAreDroppedAndCounted() {
        let recorder = recorder(100)
        for _ in 0..<SpanRecorder.capacity + 7 { recorder.begin(.server, parent: nil).end("GET /") }
        #expect(recorder.waitingSpans == 2048 && recorder.droppedSpans == 7)
        var batches: [Int] = []
        while case let batch = recorder.takeBatch(), !batch.isEmpty { batches.append(batch.count) }
        #expect(batches == Array(repeating: SpanRecorder.batchSize, count: 8))
    }

    /// The form of OTLP's JSON: ids in hexadecimal, 64-bit numbers as text.
    @Test func documentHasTheFormOfTheProtocol() throws {
        let recorder = recorder(100)
        let parent = try #require(Self.sampled)
        let span = recorder.begin(.server, parent: parent)
        span.end("GET /v1", [("http.response.status_code", .number(503))], error: "503")
        recorder.begin(.internal, for: [parent]).end("deliver sms")
        let document = TraceDocument(
            recorder.takeBatch(), of: TraceResource(service: "gateway", instance: "gateway.1.ab", version: "1.2.3"))
        let object = try #require(try JSONSerialization.jsonObject(with: document.json) as? NSDictionary)
        let resources = try #require(object["resourceSpans"] as? [NSDictionary])
        let scopes = try #require(resources.first?["scopeSpans"] as? [NSDictionary])
        let spans = try #require(scopes.first?["spans"] as? [NSDictionary])
        #expect(
            spans.first == [
                "traceId": parent.traceID, "spanId": span.context.spanID, "parentSpanId": parent.spanID,
                "traceState": "vendor=1", "flags": 1, "name": "GET /v1", "kind": 2,
                "startTimeUnixNano": "1700000000000000001", "endTimeUnixNano": "1700000000000000001",
                "attributes": [
                    ["key": "http.response.status_code", "value": ["intValue": "503"]],
                    ["key": "error.type", "value": ["stringValue": "503"]],
                ], "status": ["code": 2],
            ])
        #expect(
            spans.last?["links"] as? [NSDictionary] == [
                ["traceId": parent.traceID, "spanId": parent.spanID, "traceState": "vendor=1", "flags": 1]
            ])
        #expect(spans.last?["status"] == nil)
    }
}

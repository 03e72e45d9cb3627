import Contracts
import Foundation
import JSON
import Testing

/// W3C Trace Context, level 1 (Recommendation of 2021-11-23), section 3.2.2.
@Suite struct TraceContextTests {
    @Test func exampleOfSpecificationIsParsed() throws {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let trace = try #require(TraceContext(traceparent: text))
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.spanID == "00f067aa0ba902b7")
        #expect(trace.isSampled)
        #expect(trace.traceparent == text)
    }

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true), ("ff", true)])
    func onlyLowestFlagMeansSampled(flags: String, isSampled: Bool) throws {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
        #expect(try #require(TraceContext(traceparent: text)).isSampled == isSampled)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e47366-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
    ])
    func malformedTextIsRejected(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test func randomTraceRoundTrips() throws {
        for _ in 0..<100 {
            let trace = TraceContext.random()
            #expect(TraceContext(traceparent: trace.traceparent) == trace)
        }
        #expect(Set((0..<100).map { _ in TraceContext.random().traceID }).count == 100)
    }

    @Test func stateTravelsWithTheTrace() throws {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let trace = try #require(TraceContext(traceparent: text, state: "a=1,b=2"))
        #expect(trace.state == "a=1,b=2" && trace.child().state == trace.state)
        #expect(TraceContext(traceparent: text, state: String(repeating: "a", count: 512))?.state?.count == 512)
        for state in [String(repeating: "a", count: 513), "", "a=1\n", "a=é", "a=\u{7f}"] {
            #expect(TraceContext(traceparent: text, state: state)?.state == nil)
        }
    }

    @Test func percentageOfNewTracesIsSampled() {
        for (percent, expected) in [(-1, 0...0), (0, 0...0), (50, 400...600), (100, 1000...1000), (101, 1000...1000)] {
            let count = (0..<1000).count { _ in TraceContext.random(sampledPercent: percent).isSampled }
            #expect(expected.contains(count))
        }
    }

    @Test func childKeepsTraceWithItsOwnSpan() {
        let trace = TraceContext.random()
        let child = trace.child()
        #expect(child.traceID == trace.traceID && child.isSampled == trace.isSampled)
        #expect(child.spanID != trace.spanID)
    }

    @Test func jsonFormIsTraceparentHeader() throws {
        let trace = TraceContext.random()
        let json = try WireJSON.encode(trace)
        #expect(json == Data("\"\(trace.traceparent)\"".utf8))
        #expect(try WireJSON.decode(TraceContext.self, from: json) == trace)
        #expect(throws: DecodingError.self) { try WireJSON.decode(TraceContext.self, from: Data("\"00-1-2-3\"".utf8)) }
    }
}

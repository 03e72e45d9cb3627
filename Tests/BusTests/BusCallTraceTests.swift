import Contracts
import Foundation
import JSON
import Testing
import Tracing
import Vocabulary
import ZeroMQ

@testable import Bus

/// The span of a request at its worker.
struct BusCallTraceTests {
    private let spans = SpanRecorder(sampledPercent: 0)
    private let caller = TraceContext(
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "vendor=1")

    private func request(_ operation: String = "say") throws -> BusMessage.Request {
        let id = RequestID.random()
        var envelope = RequestEnvelope(
            id: id.description, params: Echo.EchoRequest(text: "a"), deadline: BusCallTests.later,
            trace: try #require(caller))
        envelope.operation = operation
        let json = try WireJSON.encodeSorted(envelope)
        let service = BusName(ServiceName.notifier)
        return BusMessage.Request(
            service: service, id: id, deadline: BusCallTests.later, isIdempotent: true,
            payload: PayloadDigest(service: service, sortedEnvelope: json), body: ZeroMQFrame(json))
    }

    @Test func handlerWorksInTheSpanOfItsCall() async throws {
        let handler: BusHandler = { call in
            #expect(call.trace == ActiveSpan.current?.context)
            #expect(call.options(at: Moment(milliseconds: 0)).trace == call.trace)
            return try await call.reply { (request: Echo.EchoRequest) in Echo.EchoRequest.Reply(text: request.text) }
        }
        _ = await BusCall.reply(
            to: try request(), with: handler, at: { BusCallTests.later }, recordingIn: spans, note: { _ in })
        let span = try #require(spans.takeBatch().first)
        #expect(span.name == "notifier/say" && span.kind == .server && span.error == nil)
        #expect(span.parentID == caller?.spanID && span.context.traceID == caller?.traceID)
        #expect(span.context.state == "vendor=1")
    }

    @Test(
        arguments: [
            (.invalidRequest, nil), (.unknownOperation, nil), (.unavailable, "unavailable"), (.internal, "internal"),
        ] as [(WireError.Code, String?)])
    func errorOfTheCallerIsNoErrorOfTheWorker(code: WireError.Code, error: String?) async throws {
        let handler: BusHandler = { _ in throw ServiceError(code) }
        _ = await BusCall.reply(
            to: try request(), with: handler, at: { BusCallTests.later }, recordingIn: spans, note: { _ in })
        let span = try #require(spans.takeBatch().first)
        #expect(span.error == error)
        #expect(span.name == (code == .unknownOperation ? "notifier/_OTHER" : "notifier/say"))
    }

    @Test func callHasASpanIDOfItsOwnWithoutTraces() async throws {
        let handler: BusHandler = { [caller] call in
            #expect(call.trace.traceID == caller?.traceID && call.trace.spanID != caller?.spanID)
            #expect(call.trace.state == "vendor=1" && ActiveSpan.current == nil)
            throw ServiceError(.internal)
        }
        _ = await BusCall.reply(
            to: try request(), with: handler, at: { BusCallTests.later }, recordingIn: nil, note: { _ in })
    }
}

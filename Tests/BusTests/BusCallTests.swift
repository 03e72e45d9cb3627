import Bus
import Contracts
import Foundation
import Testing
import Vocabulary

@Suite struct BusCallTests {
    static let later = Moment(milliseconds: 4_000_000_000_000)

    /// An envelope as another implementation could write it.
    static func body(params: String, idempotencyKey: String = "k") -> Data {
        Data(
            """
            {"id":"000102030405060708090a0b0c0d0e0f","operation":"say","params":\(params),"deadline":4000000000000,\
            "trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","idempotencyKey":"\(idempotencyKey)"}
            """.utf8)
    }

    @Test func handlerGetsRequestAndCallerGetsReply() async throws {
        let call = try BusCall(Echo.EchoRequest(text: "hello"), deadline: Self.later)
        let reply = try await Echo.worker.handler(call)
        #expect(try reply.result(as: Echo.EchoRequest.Reply.self) == .init(text: "hello"))
    }

    /// The envelope contains the deadline by the caller's clock, which can be wrong.
    @Test func deadlineComesFromFrames() throws {
        let call = try BusCall(body: Self.body(params: "{}"), deadline: Moment(milliseconds: 7))
        #expect(call.deadline == Moment(milliseconds: 7))
    }

    @Test func envelopeIsParsed() throws {
        let call = try BusCall(body: Self.body(params: #"{"text":"a"}"#))
        #expect(call.id == "000102030405060708090a0b0c0d0e0f")
        #expect(call.operation == "say")
        #expect(call.deadline == Self.later)
        #expect(call.trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(call.idempotencyKey == "k")
        #expect(try call.params(of: Echo.EchoRequest.self).text == "a")
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"id":"a"}"#, #"{"id":1,"operation":"say","params":{},"deadline":1,"trace":""}"#,
        String(repeating: "[", count: 100_000), "\u{0}",
    ])
    func malformedEnvelopeIsInvalid(text: String) {
        #expect(throws: ServiceError(.invalidRequest, "not a request envelope")) { try BusCall(body: Data(text.utf8)) }
    }

    @Test(arguments: ["{}", "null", "[]", #"{"text":1}"#, #"{"text":null}"#, "\"text\""])
    func malformedParametersAreInvalid(params: String) async throws {
        let call = try BusCall(body: Self.body(params: params))
        await #expect(throws: ServiceError(.invalidRequest, "the parameters of say are malformed")) {
            _ = try await Echo.worker.handler(call)
        }
    }

    @Test func canonicalParametersIgnoreSpelling() throws {
        let spellings = [
            #"{"text":"aé","n":[1,{"y":2,"x":null}]}"#, #"{ "n" : [ 1, { "x": null, "y": 2 } ], "text":"a\u00e9" }"#,
        ]
        let canonical = try spellings.map { try BusCall(body: Self.body(params: $0)).canonicalParams }
        #expect(canonical[0] == Array(#"{"n":[1,{"x":null,"y":2}],"text":"aé"}"#.utf8))
        #expect(canonical[0] == canonical[1])
        let other = try BusCall(body: Self.body(params: #"{"text":"ae","n":[1,{"y":2,"x":null}]}"#))
        #expect(other.canonicalParams != canonical[0])
        let withoutText = try BusCall(body: Self.body(params: spellings[0])).canonicalParams(omitting: "text")
        #expect(withoutText == Array(#"{"n":[1,{"x":null,"y":2}]}"#.utf8))
    }

    // MARK: Errors

    private struct DiskFull: Error {}

    private func worker(throwing error: any Error) -> BusHandler {
        BusWorker(Echo.Operation.self) { _, _ in throw error }.handler
    }

    @Test func workerThrowsTheErrorOfItsHandler() async throws {
        let call = try BusCall(Echo.EchoRequest(text: ""), deadline: Self.later)
        await #expect(throws: ServiceError(.emailExists)) {
            _ = try await worker(throwing: ServiceError(.emailExists))(call)
        }
        await #expect(throws: DiskFull.self) { _ = try await worker(throwing: DiskFull())(call) }
    }
}

import Bus
import Contracts
import Foundation
import JSON
import Testing
import Vocabulary

@Suite struct PayloadDigestTests {
    private static func digest(
        _ request: some BusRequest, id: RequestID = .random(), deadline: Int64 = 1, key: String? = nil,
        service: String = "notifier"
    ) throws -> PayloadDigest {
        let envelope = RequestEnvelope(
            id: id.description, params: request, deadline: Moment(milliseconds: deadline), trace: .random(),
            idempotencyKey: key)
        return PayloadDigest(
            service: try #require(BusName(service)), sortedEnvelope: try WireJSON.encodeSorted(envelope))
    }

    @Test func digestIgnoresCallerDeadlineAndKey() throws {
        let digests = try (0..<20).map { number in
            try Self.digest(
                Echo.EchoRequest(text: "a"), deadline: Int64(number) * 1_000_000_007,
                key: number.isMultiple(of: 2) ? RequestID.random().description : nil)
        }
        #expect(Set(digests).count == 1)
    }

    @Test func digestDependsOnOperationAndParameters() throws {
        let digests = [
            try Self.digest(Echo.EchoRequest(text: "a")), try Self.digest(Echo.EchoRequest(text: "b")),
            try Self.digest(Echo.EchoRequest(text: "")), try Self.digest(Echo.Once(text: "a")),
            try Self.digest(Echo.EchoRequest(text: "a"), service: "identity"),
            // Texts that look like the adjacent members.
            try Self.digest(Echo.EchoRequest(text: #"a","trace":"#)),
            try Self.digest(Echo.EchoRequest(text: #"a","trace":"b"#)),
            try Self.digest(Echo.EchoRequest(text: #""operation":"say""#)),
        ]
        #expect(Set(digests).count == digests.count)
    }

    /// The documented example, computed with the rule of `lkbus.py`.
    @Test func digestMatchesDocumentedExample() throws {
        let digest = try Self.digest(Echo.EchoRequest(text: "grüß dich"))
        #expect(digest == Self.ofTheDocument)
    }

    private static let ofTheDocument = PayloadDigest(high: 0x61e3_c45a_f248_12a8, low: 0xc073_7fe7_cb10_4b35)
}

import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Bodies that are produced while they are sent.
struct StreamTests {
    private static let request = "GET /p HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

    private struct Failure: Error {}

    /// - Parameter parts: their lengths. Nil fails.
    private static func stream(_ parts: [Int?]) -> HTTPBodyStream {
        HTTPBodyStream(from: 0) { position in
            guard let count = parts[position] else { throw Failure() }
            let part = Data(repeating: UInt8(ascii: "a") + UInt8(position), count: count)
            return (part, position + 1 < parts.count ? position + 1 : nil)
        }
    }

    /// The content of a body in chunks (RFC 9112 §7.1).
    /// - Returns: nil without the last chunk.
    private static func content(ofChunksIn response: [UInt8]) throws -> String? {
        let text = String(decoding: response, as: UTF8.self)
        let (head, body) = try #require(
            text.range(of: "\r\n\r\n").map { (text[..<$0.lowerBound], text[$0.upperBound...]) })
        #expect(head.lowercased().contains("transfer-encoding: chunked") && !head.contains("Content-Length"))
        var (rest, content) = (body, "")
        while let end = rest.range(of: "\r\n"), let count = Int(rest[..<end.lowerBound], radix: 16) {
            if count == 0 { return content }
            let chunk = rest[end.upperBound...].prefix(count)
            content += chunk
            rest = rest[chunk.endIndex...].dropFirst()
        }
        return nil
    }

    @Test(arguments: [[3], [0, 70_000, 1, 0, 40_000, 0], [0]]) func partsArriveInTheirOrder(parts: [Int]) async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            HTTPResponse(status: 200, body: Data("not sent".utf8), stream: Self.stream(parts))
        }
        try await withServer(handler: handler) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(Self.request)
            let expected = parts.enumerated().map { position, count in
                String(repeating: Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(position))), count: count)
            }
            let content = try Self.content(ofChunksIn: try await client.everything())
            #expect(content == expected.joined())
            try await eventually { server.statistics.requestsInFlight == 0 }
        }
    }

    /// A client does not take a part of a body for all of it.
    @Test func failedStreamHasNoEnd() async throws {
        try await withServer(handler: { _ in HTTPResponse(status: 200, stream: Self.stream([10, nil])) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(Self.request)
            let bytes = try await client.everything()
            #expect(String(decoding: bytes, as: UTF8.self).contains("aaaaaaaaaa"))
            #expect(try Self.content(ofChunksIn: bytes) == nil)
            try await eventually { server.statistics.requestsInFlight == 0 }
        }
    }

    /// The end of the connection is the end of the body, unless it is a reset.
    @Test(arguments: [([10], false), ([10, nil], true)] as [([Int?], Bool)])
    func failedStreamOfHTTP10EndsWithAReset(parts: [Int?], isReset: Bool) async throws {
        try await withServer(handler: { _ in HTTPResponse(status: 200, stream: Self.stream(parts)) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /p HTTP/1.0\r\nHost: h\r\n\r\n")
            #expect(try await client.endsWithReset() == isReset)
            try await eventually { server.statistics.requestsInFlight == 0 }
        }
    }

    @Test func headOfAStreamHasNoBody() async throws {
        try await withServer(handler: { _ in HTTPResponse(status: 200, stream: Self.stream([nil])) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("HEAD /p HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let bytes = try await client.everything()
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n\r\n"))
            try await eventually { server.statistics.requestsInFlight == 0 }
        }
    }

    /// A body without an end, and a client that reads nothing: the parts that are produced are those that the buffers take.
    @Test func clientThatDoesNotReadHoldsTheProduction() async throws {
        let produced = Atomic(0)
        try await withServer {
            $0.idleTime = .milliseconds(300)
            $0.sendBufferBytes = 16 << 10
        } handler: { _ in
            HTTPResponse(
                status: 200,
                stream: HTTPBodyStream(from: 0) { position in
                    produced.add(1, ordering: .relaxed)
                    return (Data(repeating: 1, count: 64 << 10), position + 1)
                })
        } _: { server in
            let client = try SocketClient(port: server.port, receiveBufferBytes: 4096)
            try await client.send(Self.request)
            try await eventually {
                produced.load(ordering: .relaxed) > 0 && server.statistics.requestsInFlight == 0
            }
            // 2 MiB; the buffers of both ends have far less.
            #expect((1...32).contains(produced.load(ordering: .relaxed)))
            withExtendedLifetime(client) {}
        }
    }

    @Test func streamCountsAsInFlightUntilItsEnd() async throws {
        let gate = Gate()
        try await withServer {
            $0.requestsInFlight = 1
        } handler: { _ in
            HTTPResponse(
                status: 200,
                stream: HTTPBodyStream(from: 0) { _ in
                    await gate.pass()
                    return (Data("x".utf8), nil)
                })
        } _: { server in
            let first = try SocketClient(port: server.port)
            try await first.send(Self.request)
            try await eventually { server.statistics.requestsInFlight == 1 }
            let second = try SocketClient(port: server.port)
            try await second.send(Self.request)
            #expect(try await second.response()?.status == 503)
            await gate.open()
            #expect(try Self.content(ofChunksIn: try await first.everything()) == "x")
            try await eventually { server.statistics.requestsInFlight == 0 }
        }
    }

    /// The server stops although a part never comes.
    @Test func shutdownCancelsAStream() async throws {
        var settings = HTTPServerSettings.patient
        settings.shutdownTime = .milliseconds(50)
        let isProducing = Atomic(false)
        let (never, end) = AsyncStream<Never>.makeStream()
        let server = try HTTPServer(settings, refusal: explain) { _ in
            HTTPResponse(
                status: 200,
                stream: HTTPBodyStream(from: 0) { _ in
                    isProducing.store(true, ordering: .releasing)
                    for await _ in never {}
                    return (Data(), nil)
                })
        }
        let run = Task { await server.run() }
        let client = try SocketClient(port: server.port)
        try await client.send(Self.request)
        try await eventually { isProducing.load(ordering: .acquiring) }
        server.beginShutdown()
        await run.value
        #expect(try Self.content(ofChunksIn: try await client.everything()) == nil)
        withExtendedLifetime(end) {}
    }
}

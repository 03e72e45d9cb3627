import Foundation
import HTTPServer
import Testing

/// Requests that a proxy in front of the server could parse differently (security rule HT2).
struct FramingTests {
    /// The library would write the head of its response twice.
    @Test(arguments: ["x", "-1", "1x", "99999999999999999999999"])
    func invalidContentLengthIsRefusedOnce(length: String) async throws {
        try await withServer { server in
            let bystander = try SocketClient(port: server.port)
            try await bystander.send("POST /q HTTP/1.1\r\nContent-Length: 2\r\n")
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n")
            let response = try #require(try await client.response())
            #expect(response.status == 400 && response.body == "invalidFraming - -")
            #expect(response.header("Connection") == "close")
            #expect(try await client.response() == nil)
            #expect(server.statistics.refused == [.invalidFraming: 1])
            try await bystander.send("Host: h\r\n\r\nab")
            #expect(try await bystander.response()?.body == "POST /q - 2")
        }
    }

    @Test(arguments: [
        "both lengths":
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "two lengths": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "the same length twice": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "a list of lengths": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3, 3\r\n\r\nabc",
        "a signed length": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +3\r\n\r\nabc",
        "a negative length": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\nabc",
        "a length in hexadecimal": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x3\r\n\r\nabc",
        "no length in a length": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\nabc",
        "a second coding": "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "an unknown coding": "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "a coding twice":
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
        "chunks in version 1.0": "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "a folded line": "GET / HTTP/1.1\r\nHost: h\r\nX-A: a\r\n b\r\n\r\n",
        "a folded line that makes a length": "POST / HTTP/1.1\r\nHost: h\r\nContent-Lengt: 3\r\n h\r\n\r\nabc",
        "a fold after the request line": "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
        "a space before the colon": "GET / HTTP/1.1\r\nHost : h\r\nHost: h\r\n\r\n",
        "a tab before the colon": "GET / HTTP/1.1\r\nHost: h\r\nX\t: h\r\n\r\n",
        "no name": "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n",
        "a bare LF after a field": "GET / HTTP/1.1\r\nHost: h\nX: x\r\n\r\n",
        "a bare LF after the request line": "GET / HTTP/1.1\nHost: h\r\n\r\n",
        "a bare LF at the end": "GET / HTTP/1.1\r\nHost: h\r\n\n",
        "bare LFs throughout": "GET / HTTP/1.1\nHost: h\n\n",
        "a bare CR in a value": "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
        "a NUL in a value": "GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n",
        "a NUL that hides a field": "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\0Y: b\r\n\r\n",
        "a NUL in a name": "GET / HTTP/1.1\r\nHost: h\r\nX\0Y: b\r\n\r\n",
        "a NUL in the target": "GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n",
        "a NUL in the query": "GET /a?b\0c HTTP/1.1\r\nHost: h\r\n\r\n",
        "a control character in the target": "GET /a\u{1}b HTTP/1.1\r\nHost: h\r\n\r\n",
        "a space in the target": "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
        "two spaces in the request line": "GET  /a HTTP/1.1\r\nHost: h\r\n\r\n",
        "a fragment": "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n",
        "letters beyond ASCII in the target": "GET /ä HTTP/1.1\r\nHost: h\r\n\r\n",
        "a method that is no token": "G(T / HTTP/1.1\r\nHost: h\r\n\r\n",
        "a target that is no path": "GET a HTTP/1.1\r\nHost: h\r\n\r\n",
        "the target of a proxy": "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n",
        "no host": "GET / HTTP/1.1\r\n\r\n",
        "two hosts": "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
        "a field without a colon": "GET / HTTP/1.1\r\nHost: h\r\nnonsense\r\n\r\n",
        "a version that is none": "GET / HTTP/x\r\nHost: h\r\n\r\n",
        "a bad chunk size": "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "a chunk longer than it says": "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    ])
    func ambiguousFramingIsRefusedAndConnectionClosed(name: String, request: String) async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { request in
            Issue.record("\(name) reached the handler as \(request)")
            return echo(request)
        }
        try await withServer(handler: handler) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(request + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.status == 400)
            try await client.end()
        }
    }

    @Test(arguments: ["GET /", "GET /?", "G", "GET / HTTP/1.1\r\nHost: h\r\nX"])
    func nonTextBytesInHeadAreRefused(start: String) async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            let end = " HTTP/1.1\r\nHost: h\r\n\r\n"
            try await client.send(
                Array(start.utf8) + [0xff, 0xc3, 0x80] + Array((start == "G" ? " /" + end : end).utf8))
            #expect(try await client.response()?.status == 400)
            try await client.end()
        }
    }

    @Test(arguments: ["HTTP/0.9", "HTTP/2.0", "HTTP/9.9"])
    func otherVersionsAreRefused(version: String) async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET / \(version)\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.status == 505)
            try await client.end()
        }
    }

    @Test func refusalOmitsUnverifiedRequestLine() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /p HTTP/1.1\r\nHost: h\r\nX : x\r\n\r\n")
            #expect(try await client.response()?.body == "invalidFraming - -")
            #expect(server.statistics.refused == [.invalidFraming: 1])
        }
    }

    /// Random bytes get a response or a closed connection, and the server keeps serving.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func randomBytesGetResponseOrClosedConnection(seed: UInt64) async throws {
        var random = SplitMix(state: seed)
        let alphabet = Array("GET / HTTP/1.1\r\n\r\n: \0\t%?&=host content-length: 5\u{ff}0123456789abcdef".utf8)
        var bytes = (0..<Int(random.next() % 400)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
        if seed % 3 == 0 { bytes = Array("POST / HTTP/1.1\r\nHost: h\r\n".utf8) + bytes }
        if seed % 5 == 0 { bytes = (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        try await withServer({ $0.headTime = .milliseconds(40) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(bytes)
            client.finishSending()
            try await client.end()
            var status: Int? = 408
            // On a busy machine this head is late, too.
            for _ in 0..<100 where status == 408 {
                let other = try SocketClient(port: server.port)
                try await other.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
                status = try await other.response()?.status
            }
            #expect(status == 200)
        }
    }
}

/// A small deterministic random generator (Steele, Lea, Flood 2014).
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

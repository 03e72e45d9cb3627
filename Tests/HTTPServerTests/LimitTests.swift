import Dispatch
import EventLoop
import Foundation
import HTTPServer
import TestSupport
import Testing

/// Each limit of `HTTPServerSettings` at its value and one above.
struct LimitTests {
    /// A head of exactly `size` bytes.
    private func head(of size: Int, path: String = "/p") -> String {
        let frame = "GET \(path) HTTP/1.1\r\nHost: h\r\nX: \r\n\r\n"
        return frame.replacing("X: ", with: "X: " + String(repeating: "x", count: size - frame.utf8.count))
    }

    @Test(arguments: [(16 << 10, 200), ((16 << 10) + 1, 431), (24 << 10, 431)])
    func headSizeIsBounded(size: Int, status: Int) async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send(head(of: size))
            let response = try #require(try await client.response())
            #expect(response.status == status)
            if status == 431 {
                #expect(response.body == "headTooLarge - -")
                #expect(server.statistics.refused == [.headTooLarge: 1])
            }
        }
    }

    /// The library refuses it, and the server responds in its place: also behind other requests of the connection, and
    /// without harm for a head that is being read meanwhile.
    @Test(arguments: [
        "", "GET /p HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 30\r\n\r\n123456789012345678901234567890",
    ])
    func headAboveEveryBufferIsRefused(before: String) async throws {
        try await withServer { server in
            let other = try SocketClient(port: server.port)
            try await other.send("GET /p HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 8 << 10))")
            let client = try SocketClient(port: server.port)
            if !before.isEmpty {
                try await client.send(before)
                #expect(try await client.response()?.status == 200)
            }
            try await client.send(head(of: 60 << 10))
            let response = try #require(try await client.response())
            #expect(response.status == 431 && response.body == "headTooLarge - -")
            #expect(server.statistics.refused == [.headTooLarge: 1])
            try await other.send("\r\n\r\n")
            #expect(try await other.response()?.status == 200)
        }
    }

    /// The bytes of chunks are unknown: the library responds with a page of its own.
    @Test func headAboveEveryBufferBehindChunksIsRefused() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send(
                "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
            #expect(try await client.response()?.status == 200)
            try await client.send(head(of: 60 << 10))
            #expect(try await client.response()?.status == 431)
        }
    }

    @Test func longCookieWithinLimitIsRead() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send(
                "GET / HTTP/1.1\r\nHost: h\r\nCookie: a=\(String(repeating: "x", count: 15 << 10))\r\n\r\n")
            #expect(try await client.response()?.status == 200)
        }
    }

    @Test(arguments: [(8 << 10, 200), ((8 << 10) + 1, 414)])
    func targetSizeIsBounded(size: Int, status: Int) async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /\(String(repeating: "p", count: size - 1)) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.status == status)
        }
    }

    @Test(arguments: [(1000, 200), (1001, 413)])
    func declaredBodySizeIsBounded(size: Int, status: Int) async throws {
        try await withServer({ $0.bodyBytes = 1000 }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
            try await client.send([UInt8](repeating: 0, count: size))
            let response = try #require(try await client.response())
            #expect(response.status == status)
            if status == 413 { #expect(response.body == "bodyTooLarge POST /p") }
        }
    }

    @Test(arguments: [(1000, 200), (1001, 413)])
    func chunkedBodySizeIsBounded(size: Int, status: Int) async throws {
        try await withServer({ $0.bodyBytes = 1000 }) { server in
            let client = try SocketClient(port: server.port)
            let first = size - 10
            try await client.send(
                "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(String(first, radix: 16))\r\n\(String(repeating: "x", count: first))\r\na\r\n0123456789\r\n0\r\n\r\n"
            )
            #expect(try await client.response()?.status == status)
        }
    }

    @Test func oversizedBodyIsDrainedBeforeRefusal() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(2 << 20)\r\n\r\n")
            try await client.send([UInt8](repeating: 0, count: 2 << 20))
            #expect(try await client.response()?.status == 413)
            // The body was read to its end, so the connection is still usable.
            try await client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.body == "GET /next - 0")
        }
    }

    @Test func expectContinueIsRefusedForOversizedBody() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send(
                "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(2 << 20)\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.response()?.status == 413)
            #expect(try await client.response() == nil)
        }
    }

    @Test func expectContinueIsAcceptedForSmallBody() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.response()?.status == 100)
            try await client.send("ok")
            #expect(try await client.response()?.body == "POST /p - 2")
        }
    }

    @Test func hugeBodyIsRefusedUnread() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(1 << 40)\r\n\r\n")
            #expect(try await client.response()?.status == 413)
            try await client.end()
        }
    }

    @Test func endlessChunkedBodyIsAborted() async throws {
        try await withServer({
            $0.bodyBytes = 1000
            $0.maximumDrainedBytes = 1000
        }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await client.send("7d1\r\n" + String(repeating: "x", count: 2001))
            let response = try #require(try await client.response())
            #expect(response.status == 413)
            #expect(response.header("Connection") == "close")
            #expect(try await client.response() == nil)
        }
    }

    @Test func requestsAboveLimitAreRefusedAtOnce() async throws {
        let gate = Gate()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            await gate.pass()
            return echo(request)
        }
        try await withServer({ $0.requestsInFlight = 2 }, handler: handler) { server in
            let held = try (0..<2).map { _ in try SocketClient(port: server.port) }
            for client in held { try await client.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n") }
            try await eventually { server.statistics.requestsInFlight == 2 }
            let refused = try SocketClient(port: server.port)
            try await refused.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try #require(try await refused.response())
            #expect(response.status == 503)
            #expect(response.body == "overloaded GET /p")
            #expect(response.header("Retry-After") == "1")
            await gate.open()
            for client in held { #expect(try await client.response()?.status == 200) }
            // The same connection works once a slot is free.
            try await refused.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await refused.response()?.status == 200)
        }
    }

    @Test func connectionsPerAddressAreBounded() async throws {
        try await withServer({ $0.connectionsPerAddress = 2 }) { server in
            let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
            var clients = try (0..<2).map { _ in try SocketClient(port: server.port) }
            for client in clients {
                try await client.send(request)
                #expect(try await client.response()?.status == 200)
            }
            try await SocketClient(port: server.port).end()
            #expect(server.statistics.connectionsRefused == 1)
            // A closed connection makes room for another.
            clients.removeLast()
            try await eventually { server.statistics.connectionsOpen == 1 }
            let next = try SocketClient(port: server.port)
            try await next.send(request)
            #expect(try await next.response()?.status == 200)
        }
    }

    @Test func exemptAddressesAreNotBounded() async throws {
        try await withServer({
            $0.connectionsPerAddress = 1
            $0.isExemptFromAddressLimit = { $0 == .loopback }
        }) { server in
            let clients = try (0..<3).map { _ in try SocketClient(port: server.port) }
            for client in clients {
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await client.response()?.status == 200)
            }
        }
    }

    @Test func connectionAboveLimitEvictsLongestIdleOne() async throws {
        try await withServer({
            $0.connections = 3
            $0.connectionsPerAddress = nil
        }) { server in
            var clients: [SocketClient] = []
            for number in 1...4 {
                let client = try SocketClient(port: server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await client.response()?.status == 200)
                clients.append(client)
                try await eventually { server.statistics.connectionsOpen == min(number, 3) }
            }
            #expect(server.statistics.connectionsEvicted == 1)
            #expect(try await clients.removeFirst().response() == nil)
            for client in clients {
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await client.response()?.status == 200)
            }
        }
    }

    /// The library stops to accept at its limit, and goes on when it runs behind the end of a connection. All connections end
    /// at once here, so that no event of another one makes it run.
    @Test func acceptsWhenAllConnectionsHaveEnded() async throws {
        let loop = try EventLoop(label: "limit")
        try await withServer(
            {
                $0.connections = 3
                $0.connectionsPerAddress = nil
            }, on: loop
        ) { server in
            for round in 1...8 {
                let (held, holding) = AsyncStream<Never>.makeStream()
                let ended = DispatchSemaphore(value: 0)
                let holder = Task(executorPreference: loop) {
                    holding.finish()
                    Self.block(until: ended)
                }
                for await _ in held {}
                for _ in 0..<64 { _ = try SocketClient(port: server.port) }
                ended.signal()
                await holder.value
                let client = try SocketClient(port: server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                try await eventually("request \(round) was accepted") { server.statistics.requests == round }
            }
        }
    }

    private static func block(until semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func unreadResponseIsAborted() async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 200, body: Data(count: 8 << 20))
        }
        try await withServer({ $0.rateInterval = .milliseconds(40) }, handler: handler) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
            try await eventually { server.statistics.requests == 1 }
            try await eventually { server.statistics.connectionsOpen == 0 }
            try await client.end()
        }
    }

    @Test func stalledBodyTimesOut() async throws {
        try await withServer({ $0.rateInterval = .milliseconds(40) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab")
            let response = try #require(try await client.response())
            #expect(response.status == 408 && response.body == "bodyTimeout POST /p")
        }
    }

    /// Later requests wait while their client reads no responses; otherwise each would use work without effect.
    @Test func unreadResponsesDelayLaterRequests() async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 200, body: Data(count: 256 << 10))
        }
        try await withServer(
            {
                $0.rateInterval = .seconds(600)
                $0.sendBufferBytes = 16 << 10
            }, handler: handler
        ) { server in
            let greedy = try SocketClient(port: server.port, receiveBufferBytes: 16 << 10)
            try await greedy.send(String(repeating: "GET /p HTTP/1.1\r\nHost: h\r\n\r\n", count: 50))
            try await eventually { server.statistics.requests == 1 }
            // Other clients are served meanwhile.
            for _ in 0..<20 {
                let other = try SocketClient(port: server.port)
                try await other.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await other.response()?.status == 200)
            }
            #expect(server.statistics.requests == 21)
        }
    }

    @Test(arguments: [
        (4096, 1, 65_536, 4096), (4096, 2, 65_536, 4096), (4096, 1, 1024, 835), (4096, 2, 1024, 414), (4096, 2, 100, 1),
        (10, 1, 1024, 10),
    ])
    func descriptorsAreReserved(limit: Int, listeners: Int, descriptors: Int, expected: Int) {
        let connections = DescriptorBudget.connections(atMost: limit, listeners: listeners, descriptors: descriptors)
        #expect(connections == expected)
        // Including the connections that a server uses briefly.
        if expected > 1 { #expect((connections + max(8, connections / 16)) * listeners + 128 <= descriptors) }
    }
}

import Foundation
import HTTPServer
import TestSupport
import Testing

/// Slow clients. The server's timeouts are short here; the tests wait for its actions, not for time.
struct DeadlineTests {
    /// Security rule HT1.
    @Test(arguments: ["", "GET /p HTTP/1.1\r\n", "GET /p HTTP/1.1\r\nHost: h\r\nX-Slow: "])
    func slowHeadTimesOut(start: String) async throws {
        try await withServer({ $0.headTime = .milliseconds(40) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(start)
            let response = try #require(try await client.response())
            #expect(response.status == 408)
            #expect(response.body == "headTimeout - -")
            #expect(response.header("Connection") == "close")
            #expect(try await client.response() == nil)
            try await eventually { server.statistics.connectionsOpen == 0 }
            #expect(server.statistics.refused == [.headTimeout: 1])
        }
    }

    /// Security rule HT1.
    @Test func slowBodyTimesOut() async throws {
        try await withServer({ $0.bodyTime = .milliseconds(40) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab")
            let response = try #require(try await client.response())
            #expect(response.status == 408)
            #expect(response.body == "bodyTimeout POST /p")
            #expect(try await client.response() == nil)
        }
    }

    @Test func secondHeadIsTimedFromItsOwnRequestLine() async throws {
        try await withServer({ $0.headTime = .milliseconds(60) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\nGET /q HTTP/1.1\r\n")
            #expect(try await client.response()?.status == 200)
            #expect(try await client.response()?.status == 408)
        }
    }

    @Test func idleConnectionIsClosedWithoutResponse() async throws {
        try await withServer({ $0.idleTime = .milliseconds(40) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.status == 200)
            #expect(try await client.response() == nil)
        }
    }

    /// Security rule HT1.
    @Test func clientThatReadsNoResponseIsDisconnected() async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 200, body: Data(count: 64 << 20))
        }
        try await withServer({ $0.idleTime = .milliseconds(60) }, handler: handler) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
            try await eventually { server.statistics.requests == 1 }
            try await eventually { server.statistics.connectionsOpen == 0 }
            try await client.end()
        }
    }

    @Test func slowHandlerDoesNotTimeOutClient() async throws {
        let gate = Gate()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            await gate.pass()
            return echo(request)
        }
        try await withServer(
            {
                ($0.headTime, $0.bodyTime, $0.idleTime) = (.milliseconds(40), .milliseconds(40), .milliseconds(40))
            }, handler: handler
        ) { server in
            let waiting = try SocketClient(port: server.port)
            try await waiting.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
            try await eventually { server.statistics.requestsInFlight == 1 }
            // Another connection times out meanwhile, so every deadline has passed.
            #expect(try await SocketClient(port: server.port).response()?.status == 408)
            await gate.open()
            #expect(try await waiting.response()?.status == 200)
        }
    }
}

import Foundation
import HTTPServer
import Testing

/// Requests as the handler receives them, and responses as the client receives them.
struct RequestTests {
    @Test func requestReachesHandlerAndResponseReachesClient() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /v1/x%2Fy?a=1&b=%20 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
            let response = try #require(try await client.response())
            #expect(response.status == 200)
            #expect(response.body == "POST /v1/x%2Fy a=1&b=%20 3")
            #expect(response.header("Content-Type") == "text/plain")
            #expect(response.header("Date") != nil)
            #expect(response.header("Server") == nil, "no banner")
        }
    }

    @Test func headersAreCaseInsensitiveAndKeepOrder() async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { request in
            let all = request.headers.all.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            let text = [request.headers["x-one"] ?? "-", request.headers.values("X-TWO").joined(separator: "+"), all]
            return HTTPResponse(status: 200, body: Data(text.joined(separator: "|").utf8))
        }
        try await withServer(handler: handler) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(
                "GET / HTTP/1.1\r\nhost:h\r\nX-One: \t a b \t\r\nx-two: 1\r\nX-Two: 2\r\nempty:\r\n\r\n")
            let response = try await client.response()
            #expect(response?.body == "a b|1+2|host=h,X-One=a b,x-two=1,X-Two=2,empty=")
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
    func everyMethodReachesHandler(method: String) async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("\(method) /p HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.body == "\(method) /p - 0")
        }
    }

    @Test func headResponseHasLengthWithoutBody() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("HEAD /p HTTP/1.1\r\nHost: h\r\n\r\nGET /q HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response(hasBody: false)?.header("Content-Length") == "11")
            #expect(try await client.response()?.body == "GET /q - 0")
        }
    }

    @Test func optionsAcceptsWholeServerTarget() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.body == "OPTIONS * - 0")
        }
    }

    @Test func absoluteTargetRequiresSameHost() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET http://h:1/p?q HTTP/1.1\r\nHost: h:1\r\n\r\n")
            #expect(try await client.response()?.body == "GET /p q 0")
            try await client.send("GET http://other/p HTTP/1.1\r\nHost: h:1\r\n\r\n")
            #expect(try await client.response()?.status == 400)
        }
    }

    @Test func chunkedBodyIsAssembled() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send(
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: x\r\n\r\n"
            )
            #expect(try await client.response()?.body == "POST / - 13")
        }
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            for number in 0..<50 {
                try await client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await client.response()?.body == "GET /\(number) - 0")
            }
            #expect(server.statistics.requests == 50)
            #expect(server.statistics.connectionsOpen == 1)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            let requests = (0..<20).map { "POST /\($0) HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab" }
            try await client.send(requests.joined())
            for number in 0..<20 {
                #expect(try await client.response()?.body == "POST /\(number) - 2")
            }
        }
    }

    @Test func requestCanArriveByteByByte() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            for byte in "POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok".utf8 {
                try await client.send([byte])
            }
            #expect(try await client.response()?.body == "POST /slow - 2")
        }
    }

    @Test func http10ResponseClosesConnection() async throws {
        try await withServer { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try await client.response()?.header("Connection")?.lowercased() == "close")
            #expect(try await client.response() == nil)
        }
    }

    @Test func largeResponseArrivesCompletely() async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 200, body: Data(repeating: UInt8(ascii: "x"), count: 3 << 20))
        }
        try await withServer(handler: handler) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response()?.body.utf8.count == 3 << 20)
        }
    }

    @Test func parallelClientsAllGetResponses() async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            for _ in 0..<10 { await Task.yield() }
            return echo(request)
        }
        try await withServer({ $0.connectionsPerAddress = nil }, handler: handler) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let client = try SocketClient(port: server.port)
                        for round in 0..<5 {
                            try await client.send("GET /\(number)?\(round) HTTP/1.1\r\nHost: h\r\n\r\n")
                            #expect(try await client.response()?.body == "GET /\(number) \(round) 0")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.statistics.requests == 1000)
        }
    }

    @Test(arguments: [
        ("X-A", "a\r\nX-B: b"), ("X-A", "a\nb"), ("X-A", "a\0b"), ("X A", "b"), ("", "b"), ("Content-Length", "5"),
        ("Transfer-Encoding", "chunked"), ("Connection", "keep-alive"), ("X", String(repeating: "x", count: 8 << 10)),
    ])
    func unsendableResponseIsReplacedByError(name: String, value: String) async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 200, headers: [(name, value)], body: Data("secret".utf8))
        }
        try await withServer(handler: handler) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try #require(try await client.response())
            #expect(response.status == 500)
            #expect(response.body == "invalidResponse GET /")
            #expect(server.statistics.refused == [.invalidResponse: 1])
        }
    }
}

import Foundation
import HTTPClient
import HTTPServer
import TestSupport
import Testing

/// Responds with the method, the path, the body and one header of the request; some paths have another behavior.
@Sendable private func serve(_ request: HTTPRequest) -> HTTPResponse {
    switch request.path {
    case "/large":
        return HTTPResponse(status: 200, body: Data(count: Int(request.queryItem("bytes") ?? "") ?? 0))
    case "/headers":
        let fields = (0..<8).map { (name: "X-\($0)", value: String(repeating: "x", count: 1000)) }
        return HTTPResponse(status: 200, headers: fields)
    case "/redirect":
        return HTTPResponse(status: 302, headers: [("Location", "/elsewhere")])
    default:
        let body = String(decoding: request.body, as: UTF8.self)
        let text = "\(request.method.name) \(request.path) [\(body)] \(request.headers["x-test"] ?? "-")"
        let type = request.headers["content-type"] ?? "-"
        return HTTPResponse(
            status: request.path == "/missing" ? 404 : 200,
            headers: [("X-Type", type), ("X-Length", request.headers["content-length"] ?? "-")], body: Data(text.utf8))
    }
}

@discardableResult
private func withServer<R>(
    _ handler: @Sendable @escaping (HTTPRequest) async -> HTTPResponse = serve,
    _ body: (_ url: String, _ server: HTTPServer) async throws -> R
) async throws -> R {
    var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
    settings.shutdownTime = .milliseconds(50)
    let server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }, handler: handler)
    async let running: Void = server.run()
    let result: Result<R, any Error>
    do {
        result = .success(try await body("http://127.0.0.1:\(server.port)", server))
    } catch {
        result = .failure(error)
    }
    server.beginShutdown()
    await running
    return try result.get()
}

struct HTTPClientTests {
    @Test(arguments: [HTTPClientRequest.Method.get, .post, .put, .patch, .delete])
    func requestArrivesAndResponseReturns(method: HTTPClientRequest.Method) async throws {
        try await withServer { url, _ in
            let body = method == .get ? nil : Data("hello".utf8)
            let response = try await HTTPClient().send(
                HTTPClientRequest(
                    method, url + "/p", headers: [("X-Test", "yes"), ("Content-Type", "a/b")], body: body))
            #expect(response.status == 200)
            #expect(
                String(decoding: response.body, as: UTF8.self)
                    == "\(method.rawValue) /p [\(body == nil ? "" : "hello")] yes")
            #expect(response.header("x-type") == "a/b")
            #expect(response.header("nothing") == nil)
        }
    }

    /// The server would count the connections that are kept: those of one address are limited.
    @Test func freshConnectionsAreClosed() async throws {
        try await withServer { url, server in
            let client = HTTPClient()
            for _ in 0..<20 {
                _ = try await client.send(HTTPClientRequest(.post, url + "/p", usesFreshConnection: true))
            }
            try await eventually("all were closed") { server.statistics.connectionsOpen == 0 }
            // A kept one stays open with its client.
            _ = try await client.send(HTTPClientRequest(.post, url + "/p"))
            #expect(server.statistics.connectionsOpen == 1)
        }
    }

    @Test func headResponseHasHeadersAndNoBody() async throws {
        try await withServer { url, _ in
            let response = try await HTTPClient().send(HTTPClientRequest(.head, url + "/p"))
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
            #expect(response.header("Content-Length") != "0")
        }
    }

    @Test func emptyBodyHasZeroLength() async throws {
        try await withServer { url, _ in
            let response = try await HTTPClient().send(HTTPClientRequest(.post, url + "/p", body: Data()))
            #expect(response.header("X-Length") == "0")
            #expect(response.header("X-Type") == "-", "a body of no declared type is not called a form")
        }
    }

    @Test func errorStatusIsReturned() async throws {
        try await withServer { url, _ in
            let response = try await HTTPClient().send(HTTPClientRequest(.get, url + "/missing"))
            #expect(response.status == 404)
        }
    }

    @Test func redirectsAreNotFollowed() async throws {
        try await withServer { url, server in
            let response = try await HTTPClient().send(HTTPClientRequest(.get, url + "/redirect"))
            #expect(response.status == 302)
            #expect(response.header("Location") == "/elsewhere")
            #expect(server.statistics.requests == 1)
        }
    }

    @Test func connectionsAreReused() async throws {
        try await withServer { url, server in
            var limits = HTTPClient.Limits()
            limits.threads = 1
            let client = HTTPClient(limits)
            for _ in 0..<20 {
                let response = try await client.send(HTTPClientRequest(.get, url))
                #expect(response.status == 200)
            }
            #expect(server.statistics.requests == 20)
            #expect(server.statistics.connectionsOpen == 1)
        }
    }

    @Test func responseBodyIsBounded() async throws {
        try await withServer { url, _ in
            var limits = HTTPClient.Limits()
            limits.bodyBytes = 1000
            let client = HTTPClient(limits)
            let fitting = try await client.send(HTTPClientRequest(.get, url + "/large?bytes=1000"))
            #expect(fitting.body.count == 1000)
            await #expect(throws: HTTPClientError.tooLarge) {
                try await client.send(HTTPClientRequest(.get, url + "/large?bytes=1001"))
            }
            #expect(
                try await client.send(HTTPClientRequest(.get, url + "/p")).status == 200, "the next one is unharmed")
        }
    }

    @Test func responseHeadersAreBounded() async throws {
        try await withServer { url, _ in
            let response = try await HTTPClient().send(HTTPClientRequest(.get, url + "/headers"))
            #expect(response.header("X-7") != nil)
            var limits = HTTPClient.Limits()
            limits.headerBytes = 8000
            let client = HTTPClient(limits)
            await #expect(throws: HTTPClientError.tooLarge) {
                try await client.send(HTTPClientRequest(.get, url + "/headers"))
            }
        }
    }

    @Test func silentServerTimesOut() async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            // Cancellation ends it when the server is shut down.
            try? await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 200)
        }
        try await withServer(handler) { url, _ in
            var limits = HTTPClient.Limits()
            limits.totalTime = .milliseconds(50)
            let client = HTTPClient(limits)
            await #expect(throws: HTTPClientError.timedOut) { try await client.send(HTTPClientRequest(.get, url)) }
        }
    }

    @Test func closedPortCannotBeConnected() async throws {
        // The port of tcpmux, which the kernel never assigns. Another process could take a port that a test has just
        // closed.
        await #expect(throws: HTTPClientError.cannotConnect) {
            try await HTTPClient().send(HTTPClientRequest(.get, "http://127.0.0.1:1/"))
        }
    }

    @Test func unknownHostCannotBeResolved() async {
        // `.invalid` never resolves (RFC 6761 §6.4).
        await #expect(throws: HTTPClientError.cannotResolve) {
            try await HTTPClient().send(HTTPClientRequest(.get, "http://latchkey.invalid/"))
        }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http://user:word@127.0.0.1/", "127.0.0.1 /", "",
    ])
    func invalidURLIsRefused(url: String) async {
        await #expect(throws: HTTPClientError.invalidRequest) {
            try await HTTPClient().send(HTTPClientRequest(.get, url))
        }
    }

    @Test(arguments: [("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\0b"), ("X: a", "b"), ("", "b"), ("X\r\n", "b")])
    func headerInjectionIsRefused(name: String, value: String) async {
        await #expect(throws: HTTPClientError.invalidRequest) {
            try await HTTPClient().send(HTTPClientRequest(.get, "http://127.0.0.1:1/", headers: [(name, value)]))
        }
    }

    @Test func httpsFailsWithoutTLS() async throws {
        try await withServer { url, _ in
            let error = await #expect(throws: HTTPClientError.self) {
                try await HTTPClient().send(HTTPClientRequest(.get, url.replacing("http:", with: "https:")))
            }
            guard case .tls = error else { return #expect(error == .tls("")) }
        }
    }

    @Test func requestsAboveQueueLimitAreRefusedAtOnce() async throws {
        let (reached, signal) = AsyncStream<Void>.makeStream()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            signal.yield()
            // Cancellation ends it when the server is shut down.
            try? await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 200)
        }
        var limits = HTTPClient.Limits()
        (limits.threads, limits.maximumWaiting) = (1, 0)
        let client = HTTPClient(limits)
        let held = try await withServer(handler) { url, _ in
            let held = Task { try await client.send(HTTPClientRequest(.get, url)) }
            for await _ in reached { break }
            await #expect(throws: HTTPClientError.overloaded) { try await client.send(HTTPClientRequest(.get, url)) }
            return held
        }
        // The server stopped during the request.
        await #expect(throws: HTTPClientError.self) { try await held.value }
    }
}

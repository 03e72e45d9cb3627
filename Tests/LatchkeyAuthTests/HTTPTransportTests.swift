import Foundation
import HTTPServer
import Synchronization
import Testing

@testable import LatchkeyAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The network, with a real server.
struct HTTPTransportTests {
    private final class Received: Sendable {
        private let paths = Mutex<[String]>([])
        var all: [String] { paths.withLock { $0 } }
        func add(_ path: String) { paths.withLock { $0.append(path) } }
    }

    private func withServer(
        _ handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
        _ test: (_ server: String, Received) async throws -> Void
    ) async throws {
        let received = Received()
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        settings.shutdownTime = .milliseconds(50)
        let server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }) { request in
            received.add(request.path)
            return await handler(request)
        }
        let running = Task { await server.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await test("http://127.0.0.1:\(server.port)", received))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await running.value
        try result.get()
    }

    private func request(_ url: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"password":"correct horse"}"#.utf8)
        return request
    }

    @Test func responseIsReturned() async throws {
        try await withServer { request in
            HTTPResponse(status: 418, headers: [("X-Latchkey-Device", "device-1")], body: Data(request.body))
        } _: { server, _ in
            let (body, response) = try await HTTPTransport.urlSession().send(try request(server + "/a"))
            #expect(response.statusCode == 418 && body == Data(#"{"password":"correct horse"}"#.utf8))
            #expect(response.value(forHTTPHeaderField: "x-latchkey-device") == "device-1")
        }
    }

    /// The body would reach the other server.
    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectIsNotFollowed(status: Int) async throws {
        try await withServer { _ in
            HTTPResponse(status: status, headers: [("Location", "/other")], body: Data("moved".utf8))
        } _: { server, received in
            let (_, response) = try await HTTPTransport.urlSession().send(try request(server + "/first"))
            #expect(response.statusCode == status)
            #expect(received.all == ["/first"])
        }
    }

    @Test(arguments: [(0, true), (1, false)])
    func bodyIsBounded(excess: Int, isRead: Bool) async throws {
        let count = HTTPTransport.maximumResponseBytes + excess
        try await withServer { _ in
            HTTPResponse(status: 200, body: Data(count: count))
        } _: { server, _ in
            do {
                let (body, _) = try await HTTPTransport.urlSession().send(try request(server))
                #expect(isRead && body.count == count)
            } catch let error as URLError {
                #expect(!isRead && error.code == .dataLengthExceedsMaximum)
            }
        }
    }

    @Test func cookiesAreNotKept() async throws {
        let cookies = Mutex<[String?]>([])
        try await withServer { request in
            cookies.withLock { $0.append(request.headers["cookie"]) }
            return HTTPResponse(status: 200, headers: [("Set-Cookie", "session=1")])
        } _: { server, _ in
            for _ in 0..<2 { _ = try await HTTPTransport.urlSession().send(try request(server)) }
        }
        #expect(cookies.withLock { $0 } == [nil, nil])
    }

    @Test func cancelledRequestEnds() async throws {
        let (arrived, released) = (Gate(), Gate())
        try await withServer { _ in
            arrived.open()
            await released.wait()
            return HTTPResponse(status: 200)
        } _: { server, _ in
            let request = try request(server)
            let call = Task { try await HTTPTransport.urlSession().send(request) }
            await arrived.wait()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            released.open()
        }
    }

    @Test func unreachableServerIsANetworkError() async throws {
        let error = await #expect(throws: URLError.self) {
            _ = try await HTTPTransport.urlSession().send(try request("http://127.0.0.1:1/v1/a?key=secret-key"))
        }
        #expect(error.map { AttemptFailure($0) } == .notConnected)
        #expect(!String(describing: error).contains("secret-key"))
    }
}

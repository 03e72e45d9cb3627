import Contracts
import Foundation
import HTTPClient
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Calls of functions over HTTP, and their bounds.
@Suite(.serialized) struct BlockingFunctionClientTests {
    private static let project = ProjectID("demo")

    @discardableResult
    private func withServer<Result>(
        _ handler: @Sendable @escaping (HTTPRequest) async -> HTTPResponse,
        _ body: (_ base: String) async throws -> Result
    ) async throws -> Result {
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        settings.shutdownTime = .milliseconds(50)
        let server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }, handler: handler)
        async let running: Void = server.run()
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body("http://127.0.0.1:\(server.port)"))
        } catch {
            result = .failure(error)
        }
        server.beginShutdown()
        await running
        return try result.get()
    }

    /// A busy machine does not fail tests.
    private static func client(isDev: Bool = true, privateHosts: Set<String> = []) -> BlockingFunctionClient {
        BlockingFunctionClient(isDev: isDev, privateHosts: privateHosts, timeout: .seconds(60))
    }

    private static func failure(
        _ client: BlockingFunctionClient, _ url: String
    ) async throws -> BlockingFunctionClient.Failure? {
        let url = try #require(WebURL(url))
        do throws(BlockingFunctionClient.Failure) {
            _ = try await client.call(url, event: "token", of: project)
            return nil
        } catch {
            return error
        }
    }

    @Test func requestHasTheTokenAsJSON() async throws {
        let requests = Mutex<[String]>([])
        try await withServer { request in
            let type = request.headers["content-type"] ?? "-"
            requests.withLock {
                $0.append(
                    "\(request.method.name) \(request.path) \(type) \(String(decoding: request.body, as: UTF8.self))")
            }
            return HTTPResponse(status: 200, body: Data("{}".utf8))
        } _: { base in
            let url = try #require(WebURL(base + "/hook"))
            let body = try await Self.client().call(url, event: "a.b.c", of: Self.project)
            #expect(body == Data("{}".utf8))
        }
        let recorded = requests.withLock { $0 }
        #expect(recorded == [#"POST /hook application/json {"data":{"jwt":"a.b.c"}}"#])
    }

    @Test(arguments: [201, 204, 301, 302, 307, 308, 400, 403, 404, 429, 500, 503])
    func otherStatusIsRefusedAndRedirectsAreNotFollowed(status: Int) async throws {
        let paths = Mutex<[String]>([])
        try await withServer { request in
            paths.withLock { $0.append(request.path) }
            return HTTPResponse(status: status, headers: [("Location", "/elsewhere")])
        } _: { base in
            guard case .refused(status, _)? = try await Self.failure(Self.client(), base + "/hook") else {
                Issue.record("was not refused")
                return
            }
        }
        let recorded = paths.withLock { $0 }
        #expect(recorded == ["/hook"])
    }

    @Test func responseIsBounded() async throws {
        let count = BlockingFunctionClient.maximumResponseBytes
        try await withServer { request in
            HTTPResponse(status: 200, body: Data(count: request.path == "/fits" ? count : count + 1))
        } _: { base in
            let fits = try await Self.failure(Self.client(), base + "/fits")
            let large = try await Self.failure(Self.client(), base + "/large")
            #expect(fits == nil && large == .notSent(.tooLarge))
        }
    }

    /// The address is checked when the connection is made, so a public name of a private address does not help.
    @Test(arguments: ["https://127.0.0.1:1/", "https://localhost:1/", "https://[::1]:1/", "https://169.254.169.254/"])
    func privateAddressIsRefused(url: String) async throws {
        #expect(try await Self.failure(Self.client(isDev: false), url) == .notSent(.addressRefused))
    }

    @Test func privateHostsOfTheOperatorAreAllowed() async throws {
        let client = Self.client(isDev: false, privateHosts: ["localhost"])
        let failure = try await Self.failure(client, "https://localhost:1/")
        #expect(failure != nil && failure != .notSent(.addressRefused))
        #expect(try await Self.failure(client, "https://127.0.0.1:1/") == .notSent(.addressRefused))
    }

    @Test func plainHTTPIsRefusedOutsideDevMode() async throws {
        let failure = try await Self.failure(
            Self.client(isDev: false, privateHosts: ["localhost"]), "http://localhost:1/")
        #expect(failure == .notSent(.invalidRequest))
    }

    @Test func functionThatHangsTimesOut() async throws {
        let (released, release) = AsyncStream<Void>.makeStream()
        try await withServer { _ in
            for await _ in released {}
            return HTTPResponse(status: 200)
        } _: { base in
            let client = BlockingFunctionClient(isDev: true, privateHosts: [], timeout: .milliseconds(100))
            let failure = try await Self.failure(client, base + "/hook")
            // On a busy machine not even the request was sent in time.
            #expect(failure == .notSent(.timedOut) || failure == .notSent(.cannotConnect))
            release.finish()
        }
    }

    // MARK: Bounds

    /// Two or three projects that hang never have all slots.
    @Test func slotsAreSharedByProjects() {
        var slots = BlockingFunctionSlots()
        let projects = (1...7).map { ProjectID("p\($0)") }
        var counts: [Int] = []
        for project in projects {
            var count = 0
            while slots.acquire(project) { count += 1 }
            counts.append(count)
        }
        #expect(counts == [24, 12, 6, 3, 2, 1, 0])
        #expect(counts.reduce(0, +) == BlockingFunctionSlots.maximumRunning)
        // A call that ends leaves its slot to a project without one.
        slots.release(projects[0])
        let again = [projects[6], projects[6], projects[0]].map { slots.acquire($0) }
        #expect(again == [true, false, false])
        counts[0] -= 1
        counts[6] += 1
        for (project, count) in zip(projects, counts) { for _ in 0..<count { slots.release(project) } }
        #expect(slots == BlockingFunctionSlots())
    }

    /// A project whose function hangs is refused at once, and the others are not.
    @Test func hangingFunctionOccupiesOnlyTheSlotsOfItsProject() async throws {
        let (released, release) = AsyncStream<Void>.makeStream()
        let waiting = Mutex(0)
        let share = BlockingFunctionSlots.maximumRunning / 2
        let client = BlockingFunctionClient { _, url throws(HTTPClientError) in
            guard url.host == "hangs.example" else { return HTTPClientResponse(status: 200) }
            waiting.withLock { $0 += 1 }
            for await _ in released {}
            return HTTPClientResponse(status: 200)
        }
        let url = try #require(WebURL("https://hangs.example/"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<share {
                group.addTask { _ = try await client.call(url, event: "token", of: Self.project) }
            }
            while waiting.withLock({ $0 }) < share { await Task.yield() }
            #expect(try await Self.failure(client, url.text) == .overloaded)
            let other = try #require(WebURL("https://responds.example/"))
            _ = try await client.call(other, event: "token", of: ProjectID("other"))
            release.finish()
            try await group.waitForAll()
        }
        #expect(try await Self.failure(client, "https://responds.example/") == nil)
    }
}

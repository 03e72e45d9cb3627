import Foundation
import HTTPServer

/// Starts a server on a port that the kernel chooses, runs `body` and shuts the server down.
func withServer<R>(
    _ change: (inout HTTPServerSettings) -> Void = { _ in },
    refusal: @Sendable @escaping (RejectedRequest) -> HTTPResponse = explain,
    handler: @Sendable @escaping (HTTPRequest) async -> HTTPResponse = echo,
    _ body: (HTTPServer) async throws -> R
) async throws -> R {
    var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
    // Only tests of the deadlines should reach one, even on a busy machine.
    settings.headTime = .seconds(600)
    settings.bodyTime = .seconds(600)
    change(&settings)
    let server = try HTTPServer(settings, refusal: refusal, handler: handler)
    async let running: Void = server.run()
    do {
        let result = try await body(server)
        server.beginShutdown()
        await running
        return result
    } catch {
        server.beginShutdown()
        await running
        throw error
    }
}

/// The body states the refusal and the known parts of the request.
@Sendable func explain(_ refusal: RejectedRequest) -> HTTPResponse {
    HTTPResponse(
        status: refusal.status,
        body: Data("\(refusal.reason) \(refusal.method?.name ?? "-") \(refusal.path ?? "-")".utf8))
}

/// The body states the received request.
@Sendable func echo(_ request: HTTPRequest) -> HTTPResponse {
    let text = "\(request.method.name) \(request.path) \(request.rawQuery ?? "-") \(request.body.count)"
    return HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")], body: Data(text.utf8))
}

/// Returns once `condition` holds; threads of the same test change what it reads.
func eventually(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}

/// Holds handlers until it is opened, and reports when they wait.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

import EventLoop
import Foundation
import HTTPServer

extension HTTPServerSettings {
    /// Only tests of the deadlines should reach one, even on a busy machine.
    static var patient: Self {
        var settings = Self(host: "127.0.0.1", port: 0)
        settings.headTime = .seconds(600)
        settings.bodyTime = .seconds(600)
        settings.idleTime = .seconds(600)
        settings.rateInterval = .seconds(600)
        return settings
    }
}

/// Starts a server on a port that the kernel chooses, runs `body` and shuts the server down.
func withServer<R>(
    _ change: (inout HTTPServerSettings) -> Void = { _ in }, on loop: EventLoop? = nil,
    refusal: @Sendable @escaping (RejectedRequest) -> HTTPResponse = explain,
    handler: @Sendable @escaping (HTTPRequest) async -> HTTPResponse = echo,
    _ body: (HTTPServer) async throws -> R
) async throws -> R {
    var settings = HTTPServerSettings.patient
    change(&settings)
    let server = try HTTPServer(settings, on: loop, refusal: refusal, handler: handler)
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

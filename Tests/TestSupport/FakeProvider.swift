import Foundation
import HTTPServer
import Synchronization

/// A local SMS provider with Twilio's Messages API. It records the ids of accepted messages.
package final class FakeProvider: Sendable {
    package enum Behavior: Sendable {
        case takes, hangs, garbage
        case responds(Int, String)
    }

    package struct Call: Sendable {
        /// The id of the message.
        package var id: String
        package var form: [String: String]
    }

    private struct State {
        var behavior = Behavior.takes
        var calls: [Call] = []
        var taken: [Call] = []
        var hanging: [CheckedContinuation<Void, Never>] = []
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Every call.
    package var calls: [Call] { state.withLock { $0.calls } }
    /// The messages that phones would have received.
    package var taken: [Call] { state.withLock { $0.taken } }

    package func setBehavior(_ behavior: Behavior) {
        let released = state.withLock { state in
            state.behavior = behavior
            defer { state.hanging = [] }
            return state.hanging
        }
        for call in released { call.resume() }
    }

    private func response(_ request: HTTPRequest) async -> HTTPResponse {
        let pairs = String(decoding: request.body, as: UTF8.self).split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1)
            return (String(halves[0]), halves.count == 2 ? String(halves[1]).removingPercentEncoding ?? "" : "")
        }
        let call = Call(
            id: request.headers["i-twilio-idempotency-token"] ?? request.headers["idempotency-key"] ?? "-",
            form: Dictionary(pairs) { first, _ in first })
        let behavior = state.withLock { state in
            state.calls.append(call)
            return state.behavior
        }
        switch behavior {
        case .takes: break
        case .responds(let status, let body): return HTTPResponse(status: status, body: Data(body.utf8))
        case .garbage: return HTTPResponse(status: 200, body: Data("<html>\u{0}".utf8))
        case .hangs:
            // It has sent the message, but does not respond.
            await withCheckedContinuation { continuation in
                let isStopping = state.withLock { state in
                    if !state.isStopping { state.hanging.append(continuation) }
                    return state.isStopping
                }
                if isStopping { continuation.resume() }
            }
        }
        let number = state.withLock { state in
            if !state.taken.contains(where: { $0.id == call.id }) { state.taken.append(call) }
            return state.taken.count
        }
        return HTTPResponse(status: 201, body: Data(#"{"sid":"SM\#(number)","price":null}"#.utf8))
    }

    private func stop() {
        let released = state.withLock { state in
            state.isStopping = true
            defer { state.hanging = [] }
            return state.hanging
        }
        for call in released { call.resume() }
    }

    /// Runs it while `body` runs.
    package static func running(_ body: (FakeProvider, _ url: String) async throws -> Void) async throws {
        let provider = FakeProvider()
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        settings.shutdownTime = .milliseconds(50)
        let server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }) {
            await provider.response($0)
        }
        async let running: Void = server.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(provider, "http://127.0.0.1:\(server.port)"))
        } catch {
            result = .failure(error)
        }
        provider.stop()
        server.beginShutdown()
        await running
        try result.get()
    }
}

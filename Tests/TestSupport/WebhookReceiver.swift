import Crypto
import Foundation
import HTTPServer
package import JSON
import Synchronization

/// A local endpoint of webhooks. It verifies each signature as Standard Webhooks describes, and records the events in the
/// order of their arrival.
package final class WebhookReceiver: Sendable {
    package enum Behavior: Sendable {
        case accepts
        /// Records nothing, and sends no response until the behavior changes or the receiver stops.
        case hangs
        /// Records nothing.
        case responds(Int)
    }

    /// An event that was accepted.
    package struct Event: Sendable {
        package var id: String
        package var type: String
        package var accountID: String?
        package var sequence: Int64?
        package var data: JSONValue?
        /// How many of the secrets have signed it.
        package var validSignatures: Int
    }

    private struct State {
        var behavior = Behavior.accepts
        /// `whsec_…`
        var secrets: [String] = []
        var events: [Event] = []
        var requests = 0
        var hanging: [CheckedContinuation<Void, Never>] = []
        var isStopping = false
    }

    private let state = Mutex(State())

    /// In the order of their arrival, with duplicates.
    package var events: [Event] { state.withLock { $0.events } }
    /// All requests, also those that were not accepted.
    package var requests: Int { state.withLock { $0.requests } }

    /// The events of an account in the order of their first arrival.
    package func events(of accountID: String) -> [Event] {
        var seen: Set<String> = []
        return events.filter { $0.accountID == accountID && seen.insert($0.id).inserted }
    }

    /// Verifies the following requests with these secrets.
    package func setSecrets(_ secrets: [String]) { state.withLock { $0.secrets = secrets } }

    package func setBehavior(_ behavior: Behavior) {
        let released = state.withLock { state in
            state.behavior = behavior
            defer { state.hanging = [] }
            return state.hanging
        }
        for request in released { request.resume() }
    }

    private func response(_ request: HTTPRequest) async -> HTTPResponse {
        let (behavior, secrets) = state.withLock { state in
            state.requests += 1
            return (state.behavior, state.secrets)
        }
        switch behavior {
        case .accepts: break
        case .responds(let status): return HTTPResponse(status: status)
        case .hangs:
            await withCheckedContinuation { continuation in
                let isStopping = state.withLock { state in
                    if !state.isStopping { state.hanging.append(continuation) }
                    return state.isStopping
                }
                if isStopping { continuation.resume() }
            }
            return HTTPResponse(status: 500)
        }
        let id = request.headers["webhook-id"] ?? ""
        let signed = Array("\(id).\(request.headers["webhook-timestamp"] ?? "").".utf8) + request.body
        let signatures = (request.headers["webhook-signature"] ?? "").split(separator: " ")
        let valid = secrets.count { secret in
            let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) ?? Data()
            let expected = "v1," + Data(HMAC.sha256(key: Array(key), message: signed)).base64EncodedString()
            return signatures.contains { $0 == expected }
        }
        guard valid > 0, valid == signatures.count,
            let body = try? WireJSON.decode(JSONValue.self, from: Data(request.body)),
            case .string(let type)? = body["type"]
        else { return HTTPResponse(status: 401) }
        var event = Event(id: id, type: type, data: body["data"], validSignatures: valid)
        if case .string(let accountID)? = body["data"]?["localId"] { event.accountID = accountID }
        if case .integer(let sequence)? = body["data"]?["sequence"] { event.sequence = sequence }
        state.withLock { [event] in $0.events.append(event) }
        return HTTPResponse(status: 204)
    }

    private func stop() {
        let released = state.withLock { state in
            state.isStopping = true
            defer { state.hanging = [] }
            return state.hanging
        }
        for request in released { request.resume() }
    }

    /// Runs a receiver while `body` runs.
    package static func running(_ body: (WebhookReceiver, _ url: String) async throws -> Void) async throws {
        let receiver = WebhookReceiver()
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        settings.shutdownTime = .milliseconds(50)
        let server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }) {
            await receiver.response($0)
        }
        async let running: Void = server.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(receiver, "http://127.0.0.1:\(server.port)/hook"))
        } catch {
            result = .failure(error)
        }
        receiver.stop()
        server.beginShutdown()
        await running
        try result.get()
    }
}

import Contracts
import Foundation
import HTTPClient
import JSON
import Synchronization
import Testing
import Vocabulary

@testable import IdentityService

/// Fake blocking functions that record their events.
final class FakeFunctions: Sendable {
    /// The claims of one event.
    typealias Event = [String: JSONValue]
    typealias Respond = @Sendable (_ event: Event) throws(HTTPClientError) -> HTTPClientResponse

    private struct State {
        var events: [Event] = []
        var tokens: [String] = []
        var meanwhile: @Sendable (_ count: Int) async throws -> Void = { _ in }
        var respond: Respond = { _ throws(HTTPClientError) in HTTPClientResponse(status: 200) }
    }
    private let state = Mutex(State())

    /// `beforeCreate, beforeSignIn` and so on, in the order of the calls.
    var calls: [String] { events.map { $0["event_type"]?.text ?? "" } }
    var events: [Event] { state.withLock { $0.events } }
    var tokens: [String] { state.withLock { $0.tokens } }

    /// Runs before each response, with the number of calls.
    func meanwhile(_ body: @escaping @Sendable (_ count: Int) async throws -> Void) {
        state.withLock { $0.meanwhile = body }
    }

    func onEvent(_ respond: @escaping Respond) { state.withLock { $0.respond = respond } }

    /// Responds with this record to one kind of event, and with no change to the other.
    func onEvent(_ event: BlockingFunctionEvent, record: String) {
        onEvent { claims throws(HTTPClientError) in
            claims["event_type"]?.text == event.rawValue
                ? HTTPClientResponse(status: 200, body: Data(#"{"userRecord":\#(record)}"#.utf8))
                : HTTPClientResponse(status: 200, body: Data("{}".utf8))
        }
    }

    func respond(to request: HTTPClientRequest, at url: WebURL) async throws(HTTPClientError) -> HTTPClientResponse {
        let respond: Respond
        let event: Event
        do {
            let body = try WireJSON.decode([String: [String: String]].self, from: request.body ?? Data())
            let token = try #require(body["data"]?["jwt"])
            event = try IDTokenIssuer.payload(of: token)
            let (meanwhile, count, current) = state.withLock { state in
                state.events.append(event)
                state.tokens.append(token)
                return (state.meanwhile, state.events.count, state.respond)
            }
            try await meanwhile(count)
            respond = current
        } catch {
            throw .invalidRequest
        }
        return try respond(event)
    }
}

extension JSONValue {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

extension IdentityFixture {
    /// Registers functions for these events.
    func registerFunctions(_ events: BlockingFunctionEvent...) async throws {
        try await configure { configuration in
            var functions = ProjectConfiguration.BlockingFunctions()
            functions.triggers = [:]
            for event in events {
                var trigger = ProjectConfiguration.BlockingFunctions.Trigger()
                trigger.functionUri = "https://functions.example/\(event.rawValue)"
                functions.triggers?[event.rawValue] = trigger
            }
            configuration.blockingFunctions = functions
        }
    }
}

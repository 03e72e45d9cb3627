package import Bus
package import Contracts
import Synchronization
import Vocabulary

/// Fake mesh with scripted replies, by the type of the request. As with keys on the bus, an operation that does not declare
/// the caller is refused.
package final class ScriptedMesh: BusRequestSending {
    /// The caller during a task, where it depends on what the process does.
    @TaskLocal package static var currentCaller: BusCaller?

    private struct State {
        var replies: [ObjectIdentifier: @Sendable (any BusRequest, CallOptions) async throws -> any Sendable] = [:]
        var sent: [any BusRequest] = []
        var traces: [TraceContext] = []
    }
    private let state = Mutex(State())
    private let caller: BusCaller
    private let unscripted: @Sendable (_ problem: String) -> Void

    /// - Parameters:
    ///   - caller: the process that sends.
    ///   - unscripted: is called for a request without a scripted reply, and for one that the caller may not send. Its
    ///     error is `internal`.
    package init(as caller: BusCaller, unscripted: @escaping @Sendable (_ problem: String) -> Void = { _ in }) {
        self.caller = caller
        self.unscripted = unscripted
    }

    package func reply<Request: BusRequest>(
        to type: Request.Type, _ body: @escaping @Sendable (Request, CallOptions) async throws -> Request.Reply
    ) {
        // `as!`: the key is the type.
        state.withLock { $0.replies[ObjectIdentifier(Request.self)] = { try await body($0 as! Request, $1) } }
    }

    package func reply<Request: BusRequest>(
        to type: Request.Type, _ body: @escaping @Sendable (Request) async throws -> Request.Reply
    ) {
        reply(to: type) { request, _ in try await body(request) }
    }

    /// The received requests of one type, in order.
    package func sent<Request: BusRequest>(_ type: Request.Type) -> [Request] {
        state.withLock { $0.sent.compactMap { $0 as? Request } }
    }

    /// The received requests of every type, in order.
    package var sent: [any BusRequest] { state.withLock { $0.sent } }
    package var count: Int { state.withLock { $0.sent.count } }
    package var traces: [TraceContext] { state.withLock { $0.traces } }

    package func send<Request: BusRequest>(
        _ request: Request, _ options: CallOptions
    ) async throws(ServiceError) -> Request.Reply {
        let caller = Self.currentCaller ?? caller
        guard Request.callers.contains(caller) else {
            unscripted("\(Request.operation) does not declare \(caller) as its caller")
            throw ServiceError(.internal)
        }
        let reply = state.withLock { state in
            state.sent.append(request)
            state.traces.append(options.trace)
            return state.replies[ObjectIdentifier(Request.self)]
        }
        guard let reply else {
            unscripted("\(Request.operation) has no scripted reply")
            throw ServiceError(.internal)
        }
        do {
            guard let reply = try await reply(request, options) as? Request.Reply else { throw ServiceError(.internal) }
            return reply
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(.internal)
        }
    }
}

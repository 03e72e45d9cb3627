import Bus
import Contracts

/// What the simulated callers ask, and what becomes of it.
enum SimulatedOperation: String, ServiceOperation {
    case readOnce, repeatable, keyed
    static var service: ServiceName { .notifier }
    var callers: Set<BusCaller> { [.gateway] }
}

/// What a handler does with a call.
struct Behavior: Codable, Sendable {
    /// How long it takes.
    var milliseconds: Int
    /// The worker crashes over it.
    var crashes = false
    /// The handler asks another worker first.
    var asksAgain = false
}

/// One call in the three ways in which a request may be repeated.
protocol SimulatedRequest: BusRequest where Operation == SimulatedOperation, Reply == SimulatedReply {
    /// Unique for each call, and the same when it is sent again.
    var number: Int { get }
    var behavior: Behavior { get }
}

struct SimulatedReply: Codable, Sendable {
    var number: Int
}

struct OnceRequest: SimulatedRequest {
    static var operation: SimulatedOperation { .readOnce }
    static var retrySemantics: RetrySemantics { .atMostOnce }
    var number: Int
    var behavior: Behavior
}

struct RepeatableRequest: SimulatedRequest {
    static var operation: SimulatedOperation { .repeatable }
    static var retrySemantics: RetrySemantics { .idempotent }
    var number: Int
    var behavior: Behavior
}

struct KeyedRequest: SimulatedRequest {
    static var operation: SimulatedOperation { .keyed }
    static var retrySemantics: RetrySemantics { .deduplicated }
    var number: Int
    var behavior: Behavior
}

/// One call from its beginning to its result.
struct CallRecord {
    typealias Instant = ContinuousClock.Instant

    var operation: SimulatedOperation
    var caller: SimulatedProcess
    /// After the beginning of its task.
    var expiresAt: Instant
    var executions = 0
    var keys: Set<String> = []
    var endedAt: Instant?
    var failure: WireError.Code?

    /// The caller ended before its call, so that nobody waits for the result.
    var isAbandoned: Bool { endedAt == nil && caller.isEnded }
    var isOpen: Bool { endedAt == nil && !caller.isEnded }
}

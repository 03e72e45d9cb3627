import SQL
import Synchronization

/// Records whether the last connection attempt reached the server. While it did not, one thread at a time tries again,
/// and all other work fails at once.
final class ServerCircuitBreaker: Sendable {
    private enum State {
        case closed
        case open(until: ContinuousClock.Instant, SQLError)
        /// One thread is trying to connect.
        case halfOpen(SQLError)
    }

    private let state = Mutex(State.closed)
    /// How long no other attempt is made after a failure.
    private let cooldown: Duration

    init(cooldown: Duration) {
        self.cooldown = cooldown
    }

    /// Requests permission to connect. A caller with permission must report the result.
    /// - Throws: the error of the last attempt if permission is denied.
    func acquirePermission(at now: ContinuousClock.Instant) throws(SQLError) {
        let refusal: SQLError? = state.withLock { state in
            switch state {
            case .closed: return nil
            case .open(let end, let error) where now < end: return error
            case .open(_, let error):
                state = .halfOpen(error)
                return nil
            case .halfOpen(let error): return error
            }
        }
        if let refusal { throw refusal }
    }

    func recordSuccess() {
        state.withLock { $0 = .closed }
    }

    /// - Parameter cooldown: how long no other attempt is made; nil for the usual time.
    func recordFailure(_ error: SQLError, at now: ContinuousClock.Instant, cooldown: Duration? = nil) {
        state.withLock { $0 = .open(until: now + (cooldown ?? self.cooldown), error) }
    }
}

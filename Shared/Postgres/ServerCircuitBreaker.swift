internal import SQL
internal import Synchronization

/// Whether the server could be reached when it was last tried. While it could not, one thread at a time tries again and
/// all other work fails at once, instead of waiting for an answer that is known.
final class ServerCircuitBreaker: Sendable {
    private enum State {
        case closed
        case open(until: ContinuousClock.Instant, SQLError)
        /// One thread is finding out.
        case halfOpen(SQLError)
    }

    private let state = Mutex(State.closed)
    /// How long a failure is good for.
    private let recess: Duration

    init(recess: Duration) {
        self.recess = recess
    }

    /// Asks to connect. Whoever may, has to report what came of it.
    /// - Throws: why not: the failure of the last who tried.
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

    func recordFailure(_ error: SQLError, at now: ContinuousClock.Instant) {
        state.withLock { $0 = .open(until: now + recess, error) }
    }
}

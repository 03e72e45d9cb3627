internal import SQL
internal import Synchronization

/// Whether the server could be reached when it was last tried. While it could not, one thread at a time tries again and
/// all other work fails at once, instead of waiting for an answer that is known.
final class Reachability: Sendable {
    private enum State {
        case reached
        case away(until: ContinuousClock.Instant, SQLError)
        /// One thread is finding out.
        case tried(SQLError)
    }

    private let state = Mutex(State.reached)
    /// How long a failure is good for.
    private let recess: Duration

    init(recess: Duration) {
        self.recess = recess
    }

    /// Asks to connect. Whoever may, has to report what came of it.
    /// - Throws: why not: the failure of the last who tried.
    func admit(at now: ContinuousClock.Instant) throws(SQLError) {
        let refusal: SQLError? = state.withLock { state in
            switch state {
            case .reached: return nil
            case .away(let end, let error) where now < end: return error
            case .away(_, let error):
                state = .tried(error)
                return nil
            case .tried(let error): return error
            }
        }
        if let refusal { throw refusal }
    }

    func reached() {
        state.withLock { $0 = .reached }
    }

    func failed(_ error: SQLError, at now: ContinuousClock.Instant) {
        state.withLock { $0 = .away(until: now + recess, error) }
    }
}

import EventLoop
import Synchronization

/// The result of `work`; nil as soon as the task is cancelled. The work is cancelled, too, and its result is ignored: a
/// process that must stop within seconds does not wait for a server that hangs.
package func resultUnlessCancelled<Result: Sendable>(
    of work: @escaping @Sendable () async -> Result
) async -> Result? {
    guard !Task.isCancelled else { return nil }
    let first = FirstResult<Result>()
    let task = EventLoop.startTask { first.resume(returning: await work()) }
    return await withTaskCancellationHandler {
        await withCheckedContinuation { first.wait($0) }
    } onCancel: {
        task.cancel()
        first.resume(returning: nil)
    }
}

/// Resumes a continuation once.
private final class FirstResult<Result: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Result?, Never>)
        case known(Result?)
        case taken
    }

    private let state = Mutex(State.empty)

    func wait(_ continuation: CheckedContinuation<Result?, Never>) {
        let known: Result?? = state.withLock { state in
            guard case .known(let result) = state else {
                state = .waiting(continuation)
                return .none
            }
            state = .taken
            return .some(result)
        }
        if let known { continuation.resume(returning: known) }
    }

    func resume(returning result: Result?) {
        let waiting: CheckedContinuation<Result?, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .known(result)
                return nil
            case .waiting(let continuation):
                state = .taken
                return continuation
            case .known, .taken: return nil
            }
        }
        waiting?.resume(returning: result)
    }
}

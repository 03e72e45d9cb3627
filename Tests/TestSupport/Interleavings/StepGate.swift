import Blocking

/// Stops a method of a store before each of its steps, until a test lets it go on.
///
/// A step inside a transaction stops the thread of the engine, which belongs to this method alone. A step between
/// transactions suspends the task.
final class StepGate: Sendable {
    enum State: Equatable {
        /// No test is running: nothing stops.
        case open
        case running
        /// Before the step with this description.
        case stopped(String)
        case finished
    }

    private struct Content {
        var state = State.open
        /// The continuation of a task; nil when a thread waits.
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let content = Monitor(Content())
    /// Called when the method has stopped or finished.
    private let reached: @Sendable () -> Void

    init(reached: @Sendable @escaping () -> Void) {
        self.reached = reached
    }

    var state: State { content.withLock { $0.state } }

    /// Before a test.
    func begin() { content.withLock { $0.state = .running } }
    func finish() {
        content.withLock { $0.state = .finished }
        reached()
    }

    /// Lets a method run to its end.
    func open() { resume(in: .open) }

    /// Stops the thread.
    func stopThread(before step: String) {
        let stops = content.withLock { content in
            guard content.state == .running else { return false }
            content.state = .stopped(step)
            return true
        }
        guard stops else { return }
        reached()
        content.wait { content -> Void? in
            if case .stopped = content.state { return nil }
            return ()
        }
    }

    /// Suspends the task.
    func stopTask(before step: String) async {
        await withCheckedContinuation { continuation in
            let stops = content.withLock { content in
                guard content.state == .running else { return false }
                content.state = .stopped(step)
                content.continuation = continuation
                return true
            }
            if stops { reached() } else { continuation.resume() }
        }
    }

    /// Lets a stopped method do its step.
    func goOn() { resume(in: .running) }

    private func resume(in state: State) {
        let continuation = content.withLockAndBroadcast { content in
            defer { content.continuation = nil }
            content.state = state
            return content.continuation
        }
        continuation?.resume()
    }
}

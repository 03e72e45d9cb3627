/// A fixed number of threads for C calls that block or need much processor time. A full queue leads to
/// ``OverloadedError``.
///
/// The threads end when the pool is shut down or its last reference is released.
package final class BlockingPool: Sendable {
    /// Thrown at once if every thread is busy and the queue is full.
    package struct OverloadedError: Error, Equatable {
        package init() {}
    }

    /// Thrown by calls after ``BlockingPool/shutDown()``, and by those that were waiting then.
    package struct ShutDownError: Error, Equatable {
        package init() {}
    }

    private struct Job: Sendable {
        let id: UInt64
        let run: @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct State {
        var nextID: UInt64 = 0
        var running = 0
        /// Oldest first. An array, because the queue is short and every job takes much longer than a removal.
        var waiting: [Job] = []
        var isShutDown = false
    }

    private let state = Monitor(State())
    /// Jobs accepted at the same time: one for each thread, and those that wait.
    private let capacity: Int

    /// Creates the pool and its threads.
    ///
    /// - Parameters:
    ///   - label: the name of the threads; `top -H` shows 15 bytes of it.
    ///   - threads: how many bodies run at the same time, at least 1.
    ///   - maximumWaiting: how many calls may wait for a thread, 0 or more.
    ///   - niceness: of these threads only, 0 … 19; a higher value gives other threads of the machine priority.
    package init(label: String, threads: Int, maximumWaiting: Int, niceness: Int32 = 0) {
        precondition(
            threads > 0 && maximumWaiting >= 0, "a pool needs a thread and a queue length that is not negative")
        capacity = threads + maximumWaiting
        for _ in 0..<threads {
            DedicatedThread.start(label: label, niceness: niceness) { [state] in Self.work(on: state) }
        }
    }

    deinit {
        shutDown()
    }

    /// Runs `body` on one of the threads.
    ///
    /// A task that is cancelled in the queue leaves it with `CancellationError`. A running body is not interrupted, and
    /// its result is returned.
    ///
    /// - Throws: ``OverloadedError``, ``ShutDownError``, `CancellationError`, or the error of `body`.
    package func run<R: Sendable>(_ body: @Sendable @escaping () throws -> R) async throws -> R {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        let mark = RequestMark.current
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<R, any Error>) in
                enqueue(
                    Job(
                        id: id,
                        run: {
                            let result = RequestMark.$current.withValue(mark) { Result(catching: body) }
                            continuation.resume(with: result)
                        },
                        refuse: { continuation.resume(throwing: $0) }))
                // The task was cancelled before its job was enqueued: the handler below found no job to remove.
                if Task.isCancelled { removeWaiting(id) }
            }
        } onCancel: {
            removeWaiting(id)
        }
    }

    /// The current numbers of running bodies and waiting calls.
    package var load: (running: Int, waiting: Int) {
        state.withLock { ($0.running, $0.waiting.count) }
    }

    /// Rejects new and waiting calls with ``ShutDownError``; running ones finish. May be called more than once.
    package func shutDown() {
        let refused = state.withLockAndBroadcast { state in
            defer { state.waiting = [] }
            state.isShutDown = true
            return state.waiting
        }
        for job in refused { job.refuse(ShutDownError()) }
    }

    private func enqueue(_ job: Job) {
        let refusal: (any Error)? = state.withLockAndSignal { state in
            guard !state.isShutDown else { return ShutDownError() }
            guard state.running + state.waiting.count < capacity else { return OverloadedError() }
            state.waiting.append(job)
            return nil
        }
        if let refusal { job.refuse(refusal) }
    }

    private func removeWaiting(_ id: UInt64) {
        let job = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        job?.refuse(CancellationError())
    }

    /// Runs jobs until the pool is shut down. Static and without `self`, so that the threads do not keep it alive.
    private static func work(on state: Monitor<State>) {
        enum Next {
            case run(Job)
            case stop
        }
        while true {
            let next = state.wait { state -> Next? in
                if !state.waiting.isEmpty {
                    state.running += 1
                    return .run(state.waiting.removeFirst())
                }
                return state.isShutDown ? .stop : nil
            }
            switch next {
            case .run(let job):
                job.run()
                state.withLock { $0.running -= 1 }
            case .stop:
                return
            }
        }
    }
}

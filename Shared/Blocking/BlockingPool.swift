/// A limited number of threads for C calls that block or need much processor time. A full queue leads to
/// ``OverloadedError``.
///
/// A thread starts when a job finds none idle, so that a pool which is never full stays small. The threads end when the pool is shut down or its last reference is released.
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
        /// Runs the body, and returns what hands its result to the caller. The thread is counted as free between the two:
        /// a caller that has its result finds the place that it took.
        let run: @Sendable () -> @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct State {
        var nextID: UInt64 = 0
        /// Started, and not ended.
        var threads = 0
        var running = 0
        /// Oldest first. An array, because the queue is short and every job takes much longer than a removal.
        var waiting: [Job] = []
        var isShutDown = false
    }

    /// What became of a new job.
    private enum Admission {
        case waits
        /// It waits for a thread that is not started yet.
        case needsThread
        case refused(any Error)
    }

    private let state = Monitor(State())
    private let label: String
    private let niceness: Int32
    private let maximumThreads: Int
    /// Jobs accepted at the same time: one for each thread, and those that wait.
    private let capacity: Int

    /// Creates the pool, without a thread.
    ///
    /// - Parameters:
    ///   - label: the name of the threads; `top -H` shows 15 bytes of it.
    ///   - threads: how many bodies run at the same time, at least 1.
    ///   - maximumWaiting: how many calls may wait for a thread, 0 or more.
    ///   - niceness: of these threads only, 0 … 19; a higher value gives other threads of the machine priority.
    package init(label: String, threads: Int, maximumWaiting: Int, niceness: Int32 = 0) {
        precondition(
            threads > 0 && maximumWaiting >= 0, "a pool needs a thread and a queue length that is not negative")
        self.label = label
        self.niceness = niceness
        maximumThreads = threads
        capacity = threads + maximumWaiting
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
                            return { continuation.resume(with: result) }
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
        let admission: Admission = state.withLockAndSignal { state in
            guard !state.isShutDown else { return .refused(ShutDownError()) }
            guard state.running + state.waiting.count < capacity else { return .refused(OverloadedError()) }
            state.waiting.append(job)
            let idle = state.threads - state.running
            guard idle < state.waiting.count, state.threads < maximumThreads else { return .waits }
            state.threads += 1
            return .needsThread
        }
        switch admission {
        case .waits: break
        case .needsThread: startThread()
        case .refused(let error): job.refuse(error)
        }
    }

    /// Starts the thread that has been counted. If the system has none left, the jobs wait for the other threads, and
    /// are refused if there is no other.
    private func startThread() {
        let isStarted = DedicatedThread.startIfPossible(label: label, niceness: niceness) { [state] in
            Self.work(on: state)
        }
        guard !isStarted else { return }
        let refused = state.withLock { state -> [Job] in
            state.threads -= 1
            guard state.threads == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in refused { job.refuse(OverloadedError()) }
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
                let deliver = job.run()
                state.withLock { $0.running -= 1 }
                deliver()
            case .stop:
                return
            }
        }
    }
}

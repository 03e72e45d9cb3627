import Blocking

/// A bounded queue between many tasks and the threads of an engine.
package final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        /// The tail of the queue, the latest job last.
        var arriving: [Job] = []
        /// The head of the queue, the earliest job last: both ends take constant time at any length.
        var leaving: [Job] = []
        var isClosed = false
        /// Threads that serve the queue.
        var servers = 0
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []

        var waiting: Int { arriving.count + leaving.count }

        mutating func take(atMost count: Int) -> [Job] {
            var taken: [Job] = []
            while taken.count < count {
                if leaving.isEmpty {
                    leaving = arriving.reversed()
                    arriving.removeAll(keepingCapacity: true)
                }
                guard let job = leaving.popLast() else { break }
                taken.append(job)
            }
            return taken
        }
    }

    private let state = Monitor(State())
    private let bound: Int

    /// - Parameter bound: the maximum number of waiting jobs.
    package init(bound: Int) {
        self.bound = bound
    }

    /// Starts a thread for this queue.
    /// - Parameter loop: calls `dequeue` until it returns no job, and then returns.
    package func startWorker(label: String, _ loop: sending @escaping () -> Void) {
        state.withLock { $0.servers += 1 }
        DedicatedThread.start(label: label) { [self] in
            loop()
            workerFinished()
        }
    }

    private func workerFinished() {
        let waiting = state.withLock { state in
            state.servers -= 1
            guard state.servers == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waitingForEnd = [] }
            return state.waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Adds a job at the end of the queue.
    /// - Throws: `SQLError.overloaded` or `closed`.
    package func enqueue(_ job: Job) throws(SQLError) {
        let refusal: SQLError? = state.withLockAndSignal { state in
            guard !state.isClosed else { return .closed }
            guard state.waiting < bound else { return .overloaded }
            state.arriving.append(job)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Puts a job back at the head of the queue, for another thread.
    package func requeue(_ job: Job) {
        state.withLockAndSignal { $0.leaving.append(job) }
    }

    /// Waits for jobs. It blocks: for the threads of the queue only.
    /// - Returns: the next jobs, at most `count`; none if the queue is closed and empty.
    package func dequeue(atMost count: Int) -> [Job] {
        state.wait { state in
            guard state.waiting > 0 else { return state.isClosed ? [] : nil }
            return state.take(atMost: count)
        }
    }

    /// Does not wait.
    /// - Returns: the next jobs, at most `count`; none if the queue is empty.
    package func dequeueWaiting(atMost count: Int) -> [Job] {
        state.withLock { $0.take(atMost: count) }
    }

    /// Rejects new jobs. Queued jobs are still completed.
    package func close() {
        state.withLockAndBroadcast { $0.isClosed = true }
    }

    /// Returns when every thread has ended.
    package func waitUntilFinished() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.servers > 0 else { return true }
                state.waitingForEnd.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}

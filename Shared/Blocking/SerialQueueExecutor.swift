/// An executor that runs its jobs one after another on one thread of its own (made once, parked when idle).
///
/// For actors whose methods wait in C, such as one that owns a database connection: they hold up their own thread
/// instead of one of the few that carry every task of the process. The thread ends with the last reference to the
/// executor.
package final class SerialQueueExecutor: SerialExecutor {
    private struct JobQueue {
        /// Each entry keeps the executor alive until its job has run. The number of jobs is bounded by the number of
        /// tasks that call the actor, and those are bounded where requests enter the process.
        var jobs: [(job: UnownedJob, executor: SerialQueueExecutor)] = []
        var isClosed = false
    }

    private let line = Monitor(JobQueue())

    /// Makes the executor and its thread.
    ///
    /// - Parameter label: the name of the thread, 15 bytes of which are shown by `top -H`.
    package init(label: String) {
        DedicatedThread.start(label: label) { [line] in Self.work(on: line) }
    }

    deinit {
        line.withLockAndSignal { $0.isClosed = true }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        line.withLockAndSignal { $0.jobs.append((job, self)) }
    }

    /// Runs jobs until the executor is gone. Static and without `self`, so that the thread does not keep it alive.
    private static func work(on line: Monitor<JobQueue>) {
        while true {
            let batch = line.wait { line -> [(job: UnownedJob, executor: SerialQueueExecutor)]? in
                guard !line.jobs.isEmpty || line.isClosed else { return nil }
                defer { line.jobs = [] }
                return line.jobs
            }
            // Only a closed line hands out nothing, and it is closed when nobody is left who could enqueue.
            if batch.isEmpty { return }
            for entry in batch { entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor()) }
        }
    }
}

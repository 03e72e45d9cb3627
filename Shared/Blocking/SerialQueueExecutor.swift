/// An executor that runs its jobs one after another on its own thread, which is created once and sleeps when idle.
///
/// For actors whose methods block in C, such as one that owns a database connection. They block only their own thread,
/// not one of the few that run all tasks of the process. The thread ends with the last reference to the executor.
package final class SerialQueueExecutor: SerialExecutor {
    private struct JobQueue {
        /// Each entry keeps the executor alive until its job has run. The number of jobs is bounded by the number of
        /// tasks that call the actor, and those are bounded where requests enter the process.
        var jobs: [(job: UnownedJob, executor: SerialQueueExecutor)] = []
        var isClosed = false
    }

    private let line = Monitor(JobQueue())

    /// Creates the executor and its thread.
    ///
    /// - Parameter label: the name of the thread; `top -H` shows 15 bytes of it.
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

    /// Runs jobs until the executor is released. Static and without `self`, so that the thread does not keep it alive.
    private static func work(on line: Monitor<JobQueue>) {
        while true {
            let batch = line.wait { line -> [(job: UnownedJob, executor: SerialQueueExecutor)]? in
                guard !line.jobs.isEmpty || line.isClosed else { return nil }
                defer { line.jobs = [] }
                return line.jobs
            }
            // Only a closed queue returns no jobs. It is closed when no caller can enqueue jobs anymore.
            if batch.isEmpty { return }
            for entry in batch { entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor()) }
        }
    }
}

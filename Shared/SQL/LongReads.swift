import Synchronization

/// The connection that the long reads of a database share. The first long read opens it, because most processes never
/// need it.
package final class LongReads: Sendable {
    /// Long reads that may wait; one more is rejected with `overloaded`.
    package static let maximumWaiting = 16

    private let queue = JobQueue<SQLJob>(bound: maximumWaiting)
    private let isServed = Mutex(false)
    private let startWorker: @Sendable (JobQueue<SQLJob>) throws -> Void

    /// - Parameter startWorker: opens the connection and starts a thread for the queue, with `JobQueue.startWorker`.
    package init(_ startWorker: @Sendable @escaping (JobQueue<SQLJob>) throws -> Void) {
        self.startWorker = startWorker
    }

    /// - Throws: the error of opening the connection, which the next call tries again; otherwise as `SQLDatabase.read`.
    package func run<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try isServed.withLock { isServed in
            guard !isServed else { return }
            try startWorker(queue)
            isServed = true
        }
        return try await queue.run(isReadOnly: true, body)
    }

    /// Rejects new reads. Queued reads are still completed.
    package func close() {
        queue.close()
    }

    /// Returns when the thread has ended.
    package func end() async {
        await queue.waitUntilFinished()
    }
}

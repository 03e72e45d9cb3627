import Synchronization

/// The thread that the long reads of a database share. The first long read starts it, because most processes never need
/// it.
package final class LongReads: Sendable {
    /// Long reads that may wait; one more is rejected with `overloaded`.
    package static let maximumWaiting = 16

    private let queue = JobQueue<SQLJob>(bound: maximumWaiting)
    private let isServed = Mutex(false)
    private let startWorker: @Sendable (JobQueue<SQLJob>) -> Void

    /// - Parameter startWorker: starts a thread for the queue, with `JobQueue.startWorker`. The thread opens the connection.
    package init(_ startWorker: @Sendable @escaping (JobQueue<SQLJob>) -> Void) {
        self.startWorker = startWorker
    }

    /// - Throws: as `SQLDatabase.read`.
    package func run<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        isServed.withLock { isServed in
            guard !isServed else { return }
            startWorker(queue)
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

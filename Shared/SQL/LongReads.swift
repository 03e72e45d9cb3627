internal import Synchronization

/// The connection that the long reads of a database share. The first long read opens it, because most processes never
/// need it.
package final class LongReads: Sendable {
    /// Long reads that may wait; one more is rejected with `overloaded`.
    package static let maximumWaiting = 16

    private let line = JobQueue(bound: maximumWaiting)
    private let isServed = Mutex(false)
    private let serve: @Sendable (JobQueue) throws -> Void

    /// - Parameter serve: opens the connection and starts a thread for the queue, with `JobQueue.startWorker`.
    package init(_ serve: @Sendable @escaping (JobQueue) throws -> Void) {
        self.serve = serve
    }

    /// - Throws: the error of opening the connection, which the next call tries again; otherwise as `SQLDatabase.read`.
    package func run<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        try isServed.withLock { isServed in
            guard !isServed else { return }
            try serve(line)
            isServed = true
        }
        return try await line.run(isReadOnly: true, body)
    }

    /// Rejects new reads. Queued reads are still completed.
    package func close() {
        line.close()
    }

    /// Returns when the thread has ended.
    package func end() async {
        await line.waitUntilFinished()
    }
}

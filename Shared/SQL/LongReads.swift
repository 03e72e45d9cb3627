internal import Synchronization

/// The one connection that long reads of a database share. It is opened by the first of them: most processes never have
/// one.
package final class LongReads: Sendable {
    /// Long reads that may wait; one more is refused with `overloaded`.
    package static let maximumWaiting = 16

    private let line = JobQueue(bound: maximumWaiting)
    private let isServed = Mutex(false)
    private let serve: @Sendable (JobQueue) throws -> Void

    /// - Parameter serve: opens the connection and starts a thread for the line, with `JobQueue.startWorker`.
    package init(_ serve: @Sendable @escaping (JobQueue) throws -> Void) {
        self.serve = serve
    }

    /// - Throws: what opening the connection threw, and then the next call tries again; else as `SQLDatabase.read`.
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

    /// Refuses new reads. Those in the line are still done.
    package func close() {
        line.close()
    }

    /// Returns when the thread has ended.
    package func end() async {
        await line.waitUntilFinished()
    }
}

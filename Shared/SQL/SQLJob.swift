internal import Blocking

/// The work of one caller, and the way back to that caller. Exactly one of the two ways is used, once.
package struct SQLJob: Sendable {
    /// The body promised to change nothing.
    package let onlyReads: Bool
    /// Its statements take as long as they take.
    package let isPatient: Bool
    /// When the caller came, to refuse work nobody may be waiting for any more.
    package let enqueuedAt: ContinuousClock.Instant
    /// Runs the body. The answer stays in the closure it returns until the caller may know it.
    package let run: @Sendable (borrowing SQLTransaction) throws -> @Sendable () -> Void
    /// Tells the caller that it failed.
    package let fail: @Sendable (any Error) -> Void

    package init<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer, isReadOnly: Bool,
        isPatient: Bool = false, for caller: CheckedContinuation<Answer, any Error>
    ) {
        self.onlyReads = isReadOnly
        self.isPatient = isPatient
        enqueuedAt = ContinuousClock().now
        let mark = RequestMark.current
        run = { transaction in
            let answer = try RequestMark.$current.withValue(mark) { try body(transaction) }
            // A body that goes on after a statement failed has done half of its work.
            guard !transaction.isAborted else { throw SQLError.transactionAborted }
            return { caller.resume(returning: answer) }
        }
        fail = { caller.resume(throwing: $0) }
    }
}

extension JobQueue {
    /// Queues a body and waits for what becomes of it.
    /// - Throws: `SQLError.overloaded` or `closed` at once, else what the engine or `body` throws.
    package func run<Answer: Sendable>(
        isReadOnly: Bool, isPatient: Bool = false,
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { caller in
            do throws(SQLError) {
                try enqueue(SQLJob(body, isReadOnly: isReadOnly, isPatient: isPatient, for: caller))
            } catch {
                caller.resume(throwing: error)
            }
        }
    }
}

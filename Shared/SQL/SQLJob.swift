import Blocking

/// The work of one caller, and its result. Exactly one of the two results is delivered, once.
package struct SQLJob: Sendable {
    /// Whether the body only reads.
    package let isReadOnly: Bool
    /// Whether its statements have no time limit.
    package let isPatient: Bool
    /// When the caller enqueued it, so that the engine can reject work whose caller has stopped waiting.
    package let enqueuedAt: ContinuousClock.Instant
    /// Runs the body. The closure that it returns delivers the result once the caller may receive it.
    package let run: @Sendable (borrowing SQLTransaction) throws -> @Sendable () -> Void
    /// Delivers an error to the caller.
    package let fail: @Sendable (any Error) -> Void

    package init<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result, isReadOnly: Bool,
        isPatient: Bool = false, for caller: CheckedContinuation<Result, any Error>
    ) {
        self.isReadOnly = isReadOnly
        self.isPatient = isPatient
        enqueuedAt = ContinuousClock().now
        let mark = RequestMark.current
        run = { transaction in
            let value = try RequestMark.$current.withValue(mark) { try body(transaction) }
            // A body that continues after a failed statement has an incomplete result.
            guard !transaction.isAborted else { throw SQLError.transactionAborted }
            return { caller.resume(returning: value) }
        }
        fail = { caller.resume(throwing: $0) }
    }
}

extension JobQueue<SQLJob> {
    /// Enqueues a body and waits for its result.
    /// - Throws: `SQLError.overloaded` or `closed` at once, otherwise the error of the engine or of `body`.
    package func run<Result: Sendable>(
        isReadOnly: Bool, isPatient: Bool = false,
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { caller in
            do throws(SQLError) {
                try enqueue(SQLJob(body, isReadOnly: isReadOnly, isPatient: isPatient, for: caller))
            } catch {
                caller.resume(throwing: error)
            }
        }
    }
}

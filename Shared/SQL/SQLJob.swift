/// The work of one caller, and the way back to that caller. Exactly one of the two ways is used, once.
package struct SQLJob: Sendable {
    /// Runs the body. The answer stays in the closure it returns until the caller may know it.
    package let run: @Sendable (borrowing SQLTransaction) throws -> @Sendable () -> Void
    /// Tells the caller that it failed.
    package let fail: @Sendable (any Error) -> Void

    package init<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer,
        for caller: CheckedContinuation<Answer, any Error>
    ) {
        run = { transaction in
            let answer = try body(transaction)
            return { caller.resume(returning: answer) }
        }
        fail = { caller.resume(throwing: $0) }
    }
}

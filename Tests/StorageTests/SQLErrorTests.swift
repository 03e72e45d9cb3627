import Contracts
import SQL
import Storage
import Testing

@Suite struct SQLErrorTests {
    @Test(arguments: [
        SQLError.busy, .unavailable("connection refused"), .full, .transactionAborted, .closed, .readOnly(path: "/p"),
        .cannotOpen(path: "/p", message: "m"), .notADatabase(path: "/p"), .damaged(path: "/p"),
        .schemaNewer(found: 2, needs: 2, known: 1), .migrationChanged(version: 1, name: "n"),
        .connectionsExhausted,
    ])
    func databaseOutageIsUnavailable(error: SQLError) {
        #expect(error.serviceError == ServiceError(.unavailable, retry: .afterSeconds(1)))
    }

    @Test func fullQueueIsOverloaded() {
        #expect(SQLError.overloaded.serviceError == ServiceError.overloaded)
    }

    @Test(arguments: [
        SQLError.uniqueViolation("accounts.email"), .foreignKeyViolation, .notNullViolation("a.b"),
        .checkViolation("rule"), .columnTypeMismatch(name: "c", expected: "text", found: "null"),
        .parameterCount(expected: 1, given: 2),
        .recordMismatch(table: "t", missing: ["c"], unexpected: []), .writeInReadOnlyTransaction,
        .other(code: "XX000", message: "ada@example.com"),
    ])
    func programmingErrorsAreNotRetryable(error: SQLError) {
        #expect(error.serviceError == nil)
        #expect(!error.reason.contains("ada@example.com"))
    }
}

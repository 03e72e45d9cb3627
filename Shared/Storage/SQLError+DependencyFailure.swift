package import Contracts
package import SQL

/// The only map from database errors to service errors, for every service with a database.
extension SQLError: DependencyFailure {
    package var serviceError: ServiceError? {
        switch self {
        case .overloaded:
            .overloaded
        // Nothing was done, or the outcome is unknown. After the outage the same request may succeed.
        case .busy, .timedOut, .unavailable, .connectionsExhausted, .full, .transactionAborted, .closed, .replaced,
            .cannotOpen, .notADatabase,
            .readOnly,
            .damaged, .moved, .commitsLost, .anotherDatabase, .schemaNewer, .migrationWaits, .migrationChanged:
            ServiceError(.unavailable, retry: .afterSeconds(1))
        // Errors of this program.
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .columnTypeMismatch,
            .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction, .other:
            nil
        }
    }

    package var reason: String {
        switch self {
        // The message may quote a row.
        case .other(let code, _): "the database answered with code \(code)"
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .busy, .timedOut,
            .unavailable, .connectionsExhausted, .full, .transactionAborted, .closed, .replaced, .cannotOpen,
            .notADatabase, .readOnly,
            .damaged,
            .moved, .commitsLost, .anotherDatabase, .schemaNewer, .migrationWaits, .migrationChanged,
            .columnTypeMismatch,
            .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction:
            description
        }
    }
}

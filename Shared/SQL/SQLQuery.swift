/// One statement that only reads, with its parameters. As `SQLDatabase.rows` runs it, it needs no transaction.
package struct SQLQuery: Sendable {
    /// A constant text: it is prepared once and kept.
    package var text: String
    /// The value of `$1`, of `$2`, ...
    package var parameters: [SQLValue]
    /// The maximum number of rows.
    package var limit: Int
    /// The epoch that the database must have; nil for any.
    package var epoch: Int64?

    package init(_ text: String, _ parameters: [SQLValue], limit: Int = .max, epoch: Int64? = nil) {
        self.text = text
        self.parameters = parameters
        self.limit = limit
        self.epoch = epoch
    }
}

/// A query of one caller, and its result. Exactly one of the two results is delivered, once.
package struct SQLQueryJob: Sendable {
    package let query: SQLQuery
    /// When the caller enqueued it, so that the engine can reject work whose caller has stopped waiting.
    package let enqueuedAt = ContinuousClock().now
    private let caller: CheckedContinuation<[SQLRow], any Error>

    package init(_ query: SQLQuery, for caller: CheckedContinuation<[SQLRow], any Error>) {
        self.query = query
        self.caller = caller
    }

    package func finish(_ rows: [SQLRow]) {
        caller.resume(returning: rows)
    }

    package func fail(_ error: SQLError) {
        caller.resume(throwing: error)
    }
}

extension JobQueue<SQLQueryJob> {
    /// Enqueues a query and waits for its rows.
    /// - Throws: `SQLError.overloaded` or `closed` at once, otherwise the error of the engine.
    package func run(_ query: SQLQuery) async throws -> [SQLRow] {
        try await withCheckedThrowingContinuation { caller in
            do throws(SQLError) {
                try enqueue(SQLQueryJob(query, for: caller))
            } catch {
                caller.resume(throwing: error)
            }
        }
    }
}

extension SQLDatabase {
    /// The default for an engine that runs every read in a transaction.
    package func rows(_ query: SQLQuery) async throws -> [SQLRow] {
        try await read { transaction in try transaction.rows(query) }
    }

    /// Runs one statement that only reads, on a snapshot of its own, and returns the first row of its result.
    /// - Parameters:
    ///   - record: a value for each column that the statement names after a colon, and no other.
    ///   - arguments: the values of `$1`, `$2`, ...
    /// - Throws: `SQLError.recordMismatch`, `parameterCount`, or what `rows` throws.
    package func firstRow<Table>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table> = [:], _ arguments: any SQLConvertible...
    ) async throws -> SQLTableRow<Table>? {
        let parameters = try statement.parameters(record, arguments.map(\.sqlValue))
        return try await rows(SQLQuery(statement.text, parameters, limit: 1)).first.map(SQLTableRow.init)
    }
}

package import SQL
package import Vocabulary

/// Deletes the expired rows of the tables of a service.
///
/// Each transaction deletes a few rows, so that no table is locked for long. Any number of processes may sweep the same
/// tables.
package struct Sweeper: Sendable {
    /// Which rows of one table expire.
    package struct Rule: Sendable {
        package let table: String
        /// How long a row stays after the time in its column.
        fileprivate let lifetime: Duration
        /// `$1` is the time before which a row has expired, `$2` the number of rows.
        fileprivate let statement: String

        /// - Parameters:
        ///   - keys: the columns of the primary key.
        ///   - time: a column with Unix milliseconds. An index begins with it.
        ///   - lifetime: how long a row stays after that time; zero for a column that says when a row expires.
        package init(_ table: String, keys: [String], time: String, lifetime: Duration = .zero) {
            self.table = table
            self.lifetime = lifetime
            let list = keys.joined(separator: ", ")
            // A single column is compared directly: engines differ in the syntax of a row with one column.
            let row = keys.count == 1 ? list : "(\(list))"
            statement = """
                DELETE FROM \(table) WHERE \(row) IN
                    (SELECT \(list) FROM \(table) WHERE \(time) < $1 ORDER BY \(time) LIMIT $2)
                """
        }

        /// Nil for a table whose rows do not expire.
        fileprivate init?<Table: SQLTableDescription>(expiryOf _: Table.Type, retention: Duration?) {
            let (column, lifetime): (Table, Duration)
            switch Table.expiry {
            case .never, .deletedBy: return nil
            case .after(let time, let duration): (column, lifetime) = (time, duration)
            case .afterRetention(let time):
                guard let retention else { preconditionFailure("\(Table.table) needs a retention") }
                (column, lifetime) = (time, retention)
            }
            self.init(Table.table, keys: Table.keyNames, time: column.rawValue, lifetime: lifetime)
        }
    }

    /// Rows that one transaction deletes.
    package static let defaultBatch = 500

    private let rules: [Rule]
    private let database: any SQLDatabase
    private let batch: Int

    /// - Parameter retention: the lifetime that the operator sets; nil if no table has such a one.
    package init(
        _ tables: [any SQLTableDescription.Type], retention: Duration? = nil, in database: any SQLDatabase,
        batch: Int = Self.defaultBatch
    ) {
        self.init(
            tables.compactMap { Rule(expiryOf: $0, retention: retention) }, in: database, batch: batch)
    }

    package init(_ rules: [Rule], in database: any SQLDatabase, batch: Int = Self.defaultBatch) {
        precondition(batch > 0, "a batch deletes something")
        self.rules = rules
        self.database = database
        self.batch = batch
    }

    /// Deletes every row that has expired at `now`.
    /// - Returns: the number of rows.
    /// - Throws: `SQLError`; the batches before stay deleted.
    @discardableResult
    package func sweep(at now: Moment) async throws -> Int {
        var total = 0
        for rule in rules {
            let oldest = (now - rule.lifetime).sqlValue
            var deleted: Int
            repeat {
                deleted = try await database.write { [batch] transaction in
                    try transaction.execute(rule.statement, oldest, batch.sqlValue)
                    return transaction.changes
                }
                total += deleted
            } while deleted == batch
        }
        return total
    }
}

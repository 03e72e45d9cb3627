package import SQL
package import Vocabulary

/// Deletes the expired rows from the tables of a service.
///
/// Each transaction deletes a few rows, so that other writers are not blocked for long. It continues until no expired
/// row is left. Any number of processes may sweep the same tables.
package struct Sweeper: Sendable {
    /// The rows of one table, and their lifetime.
    package struct Rule: Sendable {
        package var table: String
        /// The columns of its primary key.
        package var keys: [String]
        /// The column with the time at which a row begins to age, in Unix milliseconds. An index begins with it.
        package var time: String
        /// How long a row stays after that time; zero if the column contains the time at which the row expires.
        package var lifetime: Duration

        package init(_ table: String, keys: [String], time: String, lifetime: Duration = .zero) {
            self.table = table
            self.keys = keys
            self.time = time
            self.lifetime = lifetime
        }

        /// `$1` is the time before which a row has expired, `$2` the number of rows.
        fileprivate var statement: String {
            let list = keys.joined(separator: ", ")
            // A single column is compared directly: engines differ in the syntax of a row with one column.
            let row = keys.count == 1 ? list : "(\(list))"
            return """
                DELETE FROM \(table) WHERE \(row) IN
                    (SELECT \(list) FROM \(table) WHERE \(time) < $1 ORDER BY \(time) LIMIT $2)
                """
        }
    }

    /// Rows that one transaction deletes.
    package static let defaultBatch = 500

    private let rules: [Rule]
    private let database: any SQLDatabase
    private let batch: Int

    package init(_ rules: [Rule], in database: any SQLDatabase, batch: Int = Self.defaultBatch) {
        precondition(batch > 0, "a batch removes something")
        self.rules = rules
        self.database = database
        self.batch = batch
    }

    /// Deletes every row that has expired at `now`.
    /// - Returns: the number of deleted rows.
    /// - Throws: `SQLError`; the rows of earlier batches stay deleted.
    @discardableResult
    package func sweep(at now: Moment) async throws -> Int {
        var total = 0
        for rule in rules {
            let oldest = SQLValue.integer((now + (.zero - rule.lifetime)).milliseconds)
            let statement = rule.statement
            var removed: Int
            repeat {
                removed = try await database.write { [batch] transaction in
                    try transaction.execute(statement, oldest, .integer(Int64(batch)))
                    return transaction.changes
                }
                total += removed
            } while removed == batch
        }
        return total
    }
}

package import SQL
package import Vocabulary

/// Removes what is past its time from the tables of a service.
///
/// It takes a few rows in each transaction, so that other writes get in between and no table is held for long, and goes on
/// until nothing is left. Any number of processes may sweep the same tables.
package struct Sweeper: Sendable {
    /// What one table keeps, and for how long.
    package struct Rule: Sendable {
        package var table: String
        /// The columns of its primary key.
        package var keys: [String]
        /// The column that says when a row begins to age, in Unix milliseconds. An index begins with it.
        package var time: String
        /// How long a row stays from then on; nothing for a column that says when a row ends.
        package var lifetime: Duration

        package init(_ table: String, keys: [String], time: String, lifetime: Duration = .zero) {
            self.table = table
            self.keys = keys
            self.time = time
            self.lifetime = lifetime
        }

        /// `$1` is the time before which a row is past its time, `$2` the number of rows.
        fileprivate var statement: String {
            let list = keys.joined(separator: ", ")
            // One column is compared as it is: a row of one is written differently by every engine.
            let row = keys.count == 1 ? list : "(\(list))"
            return """
                DELETE FROM \(table) WHERE \(row) IN
                    (SELECT \(list) FROM \(table) WHERE \(time) < $1 ORDER BY \(time) LIMIT $2)
                """
        }
    }

    /// Rows that one transaction removes.
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

    /// Removes every row that is past its time at `now`.
    /// - Returns: how many rows that were.
    /// - Throws: `SQLError`; the batches before stay removed.
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

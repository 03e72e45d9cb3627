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
        /// A transaction executes all of them. Together they change every row of the batch that the first one finds.
        fileprivate let statements: [Statement]

        fileprivate struct Statement: Sendable {
            let text: String
            let arguments: [Argument]
            let deletes: Bool
        }

        fileprivate enum Argument {
            /// The time before which rows have expired that were not used since.
            case expired
            case sweepTime
            /// The number of rows.
            case batch
            /// In milliseconds.
            case lifetime
        }

        /// - Parameters:
        ///   - keys: the columns of the primary key.
        ///   - time: a column with Unix milliseconds. An index begins with it.
        ///   - lifetime: how long a row stays after that time; zero for a column that says when a row expires.
        package init(_ table: String, keys: [String], time: String, lifetime: Duration = .zero) {
            self.table = table
            self.lifetime = lifetime
            statements = [
                .init(
                    text: "DELETE FROM \(table) WHERE \(Self.batch(of: table, keys, dueBy: time))",
                    arguments: [.expired, .batch], deletes: true)
            ]
        }

        /// - Parameters:
        ///   - keys: the columns of the primary key.
        ///   - lastUse: a column with Unix milliseconds.
        ///   - check: another one, when the row is looked at. An index begins with it.
        ///   - lifetime: how long a row stays after its last use.
        package init(_ table: String, keys: [String], lastUse: String, checkedAt check: String, lifetime: Duration) {
            self.table = table
            self.lifetime = lifetime
            let batch = Self.batch(of: table, keys, dueBy: check)
            // A use at the same time changes the row between the two: each looks at the last use itself.
            statements = [
                .init(
                    text: "DELETE FROM \(table) WHERE \(batch) AND \(lastUse) < $3",
                    arguments: [.sweepTime, .batch, .expired], deletes: true),
                .init(
                    text: "UPDATE \(table) SET \(check) = \(lastUse) + $4 WHERE \(batch) AND \(lastUse) >= $3",
                    arguments: [.sweepTime, .batch, .expired, .lifetime], deletes: false),
            ]
        }

        /// The rows whose time in the column is before `$1`, the earliest `$2` of them.
        private static func batch(of table: String, _ keys: [String], dueBy time: String) -> String {
            let list = keys.joined(separator: ", ")
            // A single column is compared directly: engines differ in the syntax of a row with one column.
            let row = keys.count == 1 ? list : "(\(list))"
            return "\(row) IN (SELECT \(list) FROM \(table) WHERE \(time) < $1 ORDER BY \(time) LIMIT $2)"
        }

        /// Nil for a table whose rows do not expire.
        fileprivate init?<Table: SQLTableDescription>(expiryOf _: Table.Type, retention: Duration?) {
            switch Table.expiry {
            case .never, .deletedBy: return nil
            case .after(let time, let lifetime):
                self.init(Table.table, keys: Table.keyNames, time: time.rawValue, lifetime: lifetime)
            case .afterRetention(let time):
                guard let retention else { preconditionFailure("\(Table.table) needs a retention") }
                self.init(Table.table, keys: Table.keyNames, time: time.rawValue, lifetime: retention)
            case .afterLastUse(let time, let check, let lifetime):
                self.init(
                    Table.table, keys: Table.keyNames, lastUse: time.rawValue, checkedAt: check.rawValue,
                    lifetime: lifetime)
            }
        }

        /// Deletes the expired rows of a batch.
        /// - Returns: how many, and whether more rows may be due.
        fileprivate func sweep(
            _ transaction: borrowing SQLTransaction, at now: Moment, batch: Int
        ) throws(SQLError) -> (deleted: Int, hasMore: Bool) {
            var deleted = 0
            var changed = 0
            for statement in statements {
                let arguments = statement.arguments.map { argument in
                    switch argument {
                    case .expired: (now - lifetime).sqlValue
                    case .sweepTime: now.sqlValue
                    case .batch: batch.sqlValue
                    case .lifetime: lifetime.saturatedMilliseconds.sqlValue
                    }
                }
                try transaction.execute(statement.text, parameters: arguments)
                changed += transaction.changes
                if statement.deletes { deleted += transaction.changes }
            }
            return (deleted, changed >= batch)
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
            var hasMore = true
            while hasMore {
                let swept = try await database.write { [batch] transaction in
                    try rule.sweep(transaction, at: now, batch: batch)
                }
                total += swept.deleted
                hasMore = swept.hasMore
            }
        }
        return total
    }
}

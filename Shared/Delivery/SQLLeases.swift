package import SQL
package import Vocabulary

/// A table whose rows are leased: until the lease ends, its holder alone works on the row.
package protocol SQLLeasedTable: SQLTableDescription {
    /// The time of the next attempt, or the end of the lease.
    static var dueAt: Self { get }
    /// When the row began to wait until `dueAt`.
    static var pausedAt: Self { get }
    /// Null without a lease.
    static var leaseHolder: Self { get }
    /// Leases so far. The number distinguishes successive leases.
    static var leaseNumber: Self { get }
    /// After the time in this column a row is not leased; nil for a table without such a column.
    static var leasableUntil: Self? { get }
    /// Whether a lease that was made while the clock was ahead does not hold: its row is leased again, and may be sent
    /// twice.
    static var endsLeasesOfTheFuture: Bool { get }
}

extension SQLLeasedTable {
    package static var leasableUntil: Self? { nil }
    package static var endsLeasesOfTheFuture: Bool { false }
}

/// The exclusive right of a process to work on a row.
package struct SQLLease<Table: SQLLeasedTable>: Sendable {
    /// The primary key.
    package let key: SQLRecord<Table>
    package let holder: String
    package let number: Int64

    /// The lease of a row of `SQLLeases.acquire`.
    package init(_ row: SQLTableRow<Table>) throws(SQLError) {
        var key: SQLRecord<Table> = [:]
        for column in Table.key { key = key + [column: try row.get(column) as SQLValue] }
        self.key = key
        holder = try row.get(Table.leaseHolder)
        number = try row.get(Table.leaseNumber)
    }
}

/// The statements on the leases of a table. Keep it in a `static let`, as each statement.
package struct SQLLeases<Table: SQLLeasedTable>: Sendable {
    private let due: SQLStatement<Table>
    private let acquisition: SQLStatement<Table>
    private let ending: SQLStatement<Table>
    private let holders: SQLStatement<Table>
    private let endingOfHolder: SQLStatement<Table>

    /// - Parameter group: columns by whose values rows are leased together. An index begins with them, and goes on with
    ///   `dueAt`.
    package init(by group: [Table] = []) {
        func list(_ columns: [Table]) -> String { columns.map(\.rawValue).joined(separator: ", ") }
        func row(_ columns: [Table]) -> String { columns.count == 1 ? list(columns) : "(\(list(columns)))" }
        func values(_ columns: [Table], _ separator: String = " AND ") -> String {
            columns.map { "\($0.rawValue) = :\($0.rawValue)" }.joined(separator: separator)
        }
        let (table, holder, number) = (Table.table, Table.leaseHolder.rawValue, Table.leaseNumber.rawValue)
        // `$1` is the time, `$2` the time after which no pause begins
        // (`Moment.pauseTolerance`): one that does would last as long as the clock was ahead.
        let future = "\(Table.pausedAt.rawValue) > $2" + (Table.endsLeasesOfTheFuture ? "" : " AND \(holder) IS NULL")
        let isDue =
            "(\(Table.dueAt.rawValue) <= $1 OR (\(future)))"
            + (Table.leasableUntil.map { " AND \($0.rawValue) > $1" } ?? "")
        let inGroup = group.isEmpty ? "" : values(group) + " AND "
        let pause = values([Table.dueAt, Table.pausedAt], ", ")

        due = .init("SELECT \(list(Table.key)) FROM \(table) WHERE \(inGroup)\(isDue) LIMIT 1")
        // `$3` is the number of rows.
        acquisition = .init(
            """
            UPDATE \(table) SET \(pause), \(holder) = :\(holder), \(number) = \(number) + 1
            WHERE \(row(Table.key)) IN (SELECT \(list(Table.key)) FROM \(table) WHERE \(inGroup)\(isDue)
                ORDER BY \(Table.dueAt.rawValue) LIMIT $3)
            RETURNING *
            """)
        ending = .init(
            """
            UPDATE \(table) SET \(pause), \(holder) = NULL
            WHERE \(values(Table.key + [Table.leaseHolder, Table.leaseNumber]))
            """)
        holders = .init("SELECT DISTINCT \(holder) FROM \(table) WHERE \(holder) IS NOT NULL")
        endingOfHolder = .init("UPDATE \(table) SET \(pause), \(holder) = NULL WHERE \(values([Table.leaseHolder]))")
    }

    /// Whether a row of the group is due.
    package func hasDueRow(
        of group: SQLRecord<Table> = [:], at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws(SQLError) -> Bool {
        try transaction.firstRow(due, group, now, now + Moment.pauseTolerance) != nil
    }

    /// Leases rows of the group that are due, those that have waited longest.
    /// - Returns: the rows with all columns, in any order.
    package func acquire(
        upTo count: Int, of group: SQLRecord<Table> = [:], to holder: String, for duration: Duration, at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws(SQLError) -> [SQLTableRow<Table>] {
        try transaction.rows(
            acquisition,
            group + [Table.dueAt: now + duration, Table.pausedAt: now, Table.leaseHolder: holder], now,
            now + Moment.pauseTolerance, count)
    }

    /// Ends a lease: the row is due again at `dueAt`.
    /// - Returns: false if the lease was lost.
    package func end(
        _ lease: SQLLease<Table>, dueAt: Moment, at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws(SQLError) -> Bool {
        try transaction.execute(
            ending,
            lease.key + [
                Table.leaseHolder: lease.holder, Table.leaseNumber: lease.number, Table.dueAt: dueAt,
                Table.pausedAt: now,
            ])
        return transaction.changes == 1
    }

    /// Ends the leases of ended processes: their rows are due now.
    /// - Parameter hasEnded: whether the process that wrote this lease holder has certainly ended.
    /// - Returns: the number of rows.
    package func release(
        ofEndedProcesses hasEnded: (String) -> Bool, at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws(SQLError) -> Int {
        var count = 0
        for row in try transaction.rows(holders) {
            let holder: String = try row.get(Table.leaseHolder)
            guard hasEnded(holder) else { continue }
            try transaction.execute(
                endingOfHolder, [Table.leaseHolder: holder, Table.dueAt: now, Table.pausedAt: now])
            count += transaction.changes
        }
        return count
    }
}

package import SQL
package import Vocabulary

/// A table of records that exist only while identity lists them, such as the secrets of second factors.
package protocol ListedTable: SQLRealmTable {
    /// The columns of a `ListedKey`, in the order of pages.
    static var listed: [Self] { get }
    /// Null while identity lists the record.
    static var unlistedSince: Self { get }
    /// Which rows are compared with the list, in SQL.
    static var listedCondition: String { get }
}

extension ListedTable {
    package static var listedCondition: String { "1 = 1" }
}

/// What identity lists: one record, or several with the same key.
package protocol ListedKey: Hashable, Sendable {
    associatedtype Table: ListedTable
    var realm: Realm { get }
    /// The columns `Table.listed`.
    var record: SQLRecord<Table> { get }
    init(_ row: SQLTableRow<Table>) throws(SQLError)
}

/// The records of one table, compared with what identity lists.
package struct ListedRecords<Key: ListedKey>: Sendable {
    /// How long a record is kept that identity does not list. Meanwhile an operator may restore an older backup of
    /// identity, and then a newer one.
    package static var retention: Duration { .seconds(86_400) }

    private let database: any SQLDatabase
    private let firstKeys: SQLStatement<Key.Table>
    private let nextKeys: SQLStatement<Key.Table>
    private let listing: SQLStatement<Key.Table>
    private let unlisting: SQLStatement<Key.Table>
    private let removal: SQLStatement<Key.Table>

    package init(_ database: any SQLDatabase) {
        self.database = database
        let (table, since) = (Key.Table.self, Key.Table.unlistedSince.rawValue)
        let names = table.listed.map(\.rawValue)
        let columns = names.joined(separator: ", ")
        let page = { (condition: String) in
            SQLStatement<Key.Table>(
                """
                SELECT DISTINCT \(columns) FROM \(table.table) WHERE \(table.listedCondition) \(condition)
                ORDER BY \(columns) LIMIT $1
                """)
        }
        firstKeys = page("")
        nextKeys = page("AND (\(columns)) > (\(names.map { ":\($0)" }.joined(separator: ", ")))")
        listing = table.update([table.unlistedSince], where: table.listed, "AND \(since) IS NOT NULL")
        unlisting = table.update([table.unlistedSince], where: table.listed, "AND \(since) IS NULL")
        removal = table.delete(where: table.listed, "AND \(since) <= $1")
    }

    /// Some keys, in their order.
    package func keys(after last: Key?, limit: Int) async throws -> [Key] {
        try await database.read { [firstKeys, nextKeys] transaction in
            let rows =
                if let last {
                    try transaction.rows(nextKeys, last.record, limit)
                } else {
                    try transaction.rows(firstKeys, [:], limit)
                }
            return try rows.map { try Key($0) }
        }
    }

    /// Records which keys identity lists, and deletes the records that it has not listed for `retention`.
    /// - Returns: the number of deleted records.
    @discardableResult
    package func record(listed: Set<Key>, unlisted: Set<Key>, at now: Moment) async throws -> Int {
        try await database.write { [listing, unlisting, removal] transaction in
            for key in listed {
                try transaction.execute(listing, key.record + [Key.Table.unlistedSince: nil])
            }
            var removed = 0
            for key in unlisted {
                try transaction.execute(removal, key.record, now - Self.retention)
                removed += transaction.changes
                try transaction.execute(unlisting, key.record + [Key.Table.unlistedSince: now])
            }
            return removed
        }
    }
}

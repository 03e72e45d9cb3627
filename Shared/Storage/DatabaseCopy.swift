package import SQL

/// Copies all rows of one database into another, between any engines. The same migrations made both, so they have the
/// same tables. It works inside two transactions: it reads one snapshot, and its writes become visible together.
package struct DatabaseCopy: Sendable {
    /// Each table after those that it references.
    private let tables: [SQLTable]

    /// Rows in memory at a time.
    private static let pageRows = 1000

    /// - Throws: `DatabaseCopyError` if such tables cannot be copied.
    package init(_ tables: [SQLTable]) throws(DatabaseCopyError) {
        let own = tables.filter { !SQLTransaction.bookkeepingTables.contains($0.name) }
        if let table = own.first(where: \.primaryKey.isEmpty) { throw .noPrimaryKey(table.name) }
        self.tables = try Self.ordered(own)
    }

    package var tableNames: [String] { tables.map(\.name) }

    /// Whether any table has a row.
    package func hasRows(_ database: borrowing SQLTransaction) throws -> Bool {
        for table in tables {
            if try database.firstRow("SELECT 1 AS one FROM \(table.name.quotedName) LIMIT 1") != nil { return true }
        }
        return false
    }

    /// The number of rows of each table.
    package func countRows(_ database: borrowing SQLTransaction) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in tables {
            counts[table.name] =
                try database.firstRow("SELECT COUNT(*) AS count FROM \(table.name.quotedName)")?.get("count") ?? 0
        }
        return counts
    }

    /// Deletes every row.
    package func deleteAllRows(_ database: borrowing SQLTransaction) throws {
        for table in tables.reversed() { try database.execute("DELETE FROM \(table.name.quotedName)") }
    }

    /// Copies every row.
    /// - Parameters:
    ///   - target: its tables are empty.
    ///   - rowCopied: receives each row with its table.
    ///   - indexesBegin: called after the last row: to build the indexes takes about as long as to copy.
    /// - Returns: the number of rows of each table.
    /// - Throws: `DatabaseCopyError`, or the error of an engine.
    package func run(
        from source: borrowing SQLTransaction, to target: borrowing SQLTransaction,
        rowCopied: (SQLTable, SQLRow) throws -> Void = { _, _ in }, indexesBegin: () -> Void = {}
    ) throws -> [String: Int] {
        let targetTables = try target.tables()
        var counts: [String: Int] = [:]
        let indexes = try target.catalog.dropIndexes(target, of: tableNames)
        for table in tables {
            guard let matchingTable = targetTables.first(where: { $0.name == table.name }),
                Set(matchingTable.columns) == Set(table.columns)
            else { throw DatabaseCopyError.differentTables(table.name) }
            counts[table.name] = try copy(table, from: source, to: target, rowCopied)
            try target.catalog.advanceSequence(target, of: table)
        }
        indexesBegin()
        try target.catalog.restoreIndexes(target, indexes, of: tableNames)
        return counts
    }

    private func copy(
        _ table: SQLTable, from source: borrowing SQLTransaction, to target: borrowing SQLTransaction,
        _ rowCopied: (SQLTable, SQLRow) throws -> Void
    ) throws -> Int {
        let page = PagedTableReader(of: table, rows: Self.pageRows)
        var count = 0
        var key: [SQLValue]?
        repeat {
            let rows = try source.rows(page.sql(after: key), parameters: key ?? [])
            try target.insert(rows, into: table)
            for row in rows { try rowCopied(table, row) }
            count += rows.count
            key = rows.count == Self.pageRows ? rows.last.map(page.key) : nil
        } while key != nil
        // A row that the key does not find would be lost silently: SQLite allows null in most keys.
        let stored: Int? = try source.firstRow("SELECT COUNT(*) AS count FROM \(table.name.quotedName)")?.get("count")
        guard count == stored else { throw DatabaseCopyError.rowsWithoutKey(table.name) }
        return count
    }

    /// - Returns: each table after those that it references.
    private static func ordered(_ tables: [SQLTable]) throws(DatabaseCopyError) -> [SQLTable] {
        var ordered: [SQLTable] = []
        var waiting = tables
        while !waiting.isEmpty {
            let names = Set(waiting.map(\.name))
            let free = waiting.filter { $0.references.isDisjoint(with: names) }
            if free.isEmpty { throw .cyclicReferences(names.sorted()) }
            ordered += free
            waiting.removeAll { free.contains($0) }
        }
        return ordered
    }
}

/// Reads a table in pages, in the order of its primary key. Each page starts after the key of the last row.
private struct PagedTableReader {
    private let select: String
    private let order: String
    private let condition: String
    private let positions: [Int]

    init(of table: SQLTable, rows: Int) {
        select = "SELECT \(table.columns.quoted) FROM \(table.name.quotedName)"
        order = "ORDER BY \(table.primaryKey.quoted) LIMIT \(rows)"
        let parameters = (1...table.primaryKey.count).map { "$\($0)" }.joined(separator: ", ")
        condition = "WHERE (\(table.primaryKey.quoted)) > (\(parameters))"
        positions = table.primaryKey.compactMap { table.columns.firstIndex(of: $0) }
    }

    func sql(after key: [SQLValue]?) -> String { key == nil ? "\(select) \(order)" : "\(select) \(condition) \(order)" }

    func key(of row: SQLRow) -> [SQLValue] { positions.map { row.values[$0] } }
}

/// Why a database cannot be copied. Each is an error of the schema, not of the operator.
package enum DatabaseCopyError: Error, Equatable, Sendable, CustomStringConvertible {
    case noPrimaryKey(String)
    /// These tables reference each other.
    case cyclicReferences([String])
    /// The table does not exist or has other columns.
    case differentTables(String)
    case rowsWithoutKey(String)

    package var description: String {
        switch self {
        case .noPrimaryKey(let table): "the table \(table) has no primary key, so its rows cannot be copied"
        case .cyclicReferences(let tables):
            "the tables \(tables.joined(separator: ", ")) refer to each other, so none can be copied first"
        case .differentTables(let table): "the table \(table) is not the same in both databases"
        case .rowsWithoutKey(let table): "the table \(table) has rows with an incomplete key, which cannot be copied"
        }
    }
}

extension [String] {
    fileprivate var quoted: String { map(\.quotedName).joined(separator: ", ") }
}

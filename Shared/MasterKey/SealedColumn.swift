package import SQL
import Vocabulary

/// A column of sealed records: its table, and the columns that identify its rows. Its name begins with `sealed_`.
///
/// A service declares its columns (`SealedRecords`), so that a rotation includes every sealed record.
package struct SealedColumn: Equatable, Sendable {
    package let name: String
    package let table: String
    /// The primary key, in the order in which the table is scanned.
    package let key: [String]
    /// Represents table and column in the authenticated data of each record.
    package let label: String

    /// - Parameter label: for columns from before declared columns existed; otherwise omitted.
    package init(_ name: String, of table: String, key: [String], label: String? = nil) {
        precondition(name.hasPrefix("sealed_") && !key.isEmpty, "a sealed column says so, and its rows have a key")
        self.name = name
        self.table = table
        self.key = key
        self.label = label ?? "\(table)/\(name)"
    }

    /// A column of a described table.
    package init<Table: SQLTableDescription>(_ column: Table) {
        self.init(column.rawValue, of: Table.table, key: Table.keyNames)
    }

    /// A column as its declaration in a database says.
    /// - Returns: nil when the text contains no names of columns and tables.
    init?(declared name: String, of table: String, key: String, label: String) {
        let columns = key.split(separator: " ").map(String.init)
        let isSound = ([name, table] + columns).allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) }
        }
        guard isSound, name.hasPrefix("sealed_"), !columns.isEmpty else { return nil }
        self.init(name, of: table, key: columns, label: label)
    }

    /// The binding of a record to its row.
    /// - Parameter key: the values of the key's columns, in their order.
    package func binding(_ key: SQLValue...) -> [UInt8] { binding(key) }

    /// The binding of a record to the row that `record` has the key of.
    package func binding<Table: SQLTableDescription>(_ record: SQLRecord<Table>) -> [UInt8] {
        binding(Table.key.compactMap { record[$0] })
    }

    func binding(_ key: [SQLValue]) -> [UInt8] {
        precondition(key.count == self.key.count, "a row of \(table) has a key of \(self.key.count) columns")
        let fields = key.map(\.bindingText)
        // Several fields with their lengths, so that no two keys give the same text.
        let row = fields.count == 1 ? fields[0] : fields.map { "\($0.utf8.count):\($0)," }.joined()
        return Array("\(label)/\(row)".utf8)
    }
}

extension SQLValue {
    /// Values of one column have one type, so that no two of them give the same text.
    fileprivate var bindingText: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): text
        case .blob(let bytes): bytes.hexadecimal
        }
    }
}

// MARK: - Statements

extension SealedColumn {
    /// One row of the table with its record.
    struct Row: Sendable {
        var key: [SQLValue]
        var record: [UInt8]

        var keyID: String? { SealingKeys.keyID(of: record) }
    }

    /// The next rows with a record, after `position`.
    func page(
        after position: [SQLValue]?, limit: Int, in transaction: borrowing SQLTransaction
    ) throws(SQLError) -> [Row] {
        let columns = key.joined(separator: ", ")
        let places = key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let behind = position == nil ? "" : "AND (\(columns)) > (\(places))"
        var rows: [Row] = []
        for row in try transaction.rows(
            """
            SELECT \(columns), \(name) FROM \(table) WHERE \(name) IS NOT NULL \(behind)
            ORDER BY \(columns) LIMIT \(limit)
            """, parameters: position ?? [])
        {
            rows.append(Row(key: Array(row.values.prefix(key.count)), record: try row.get(name)))
        }
        return rows
    }

    /// Replaces the record that was read.
    /// - Returns: false if the row has changed since, or is deleted.
    func replace(
        _ row: Row, with record: [UInt8], in transaction: borrowing SQLTransaction
    ) throws(SQLError) -> Bool {
        let isTheRow = key.enumerated().map { "\($1) = $\($0 + 3)" }.joined(separator: " AND ")
        try transaction.execute(
            "UPDATE \(table) SET \(name) = $1 WHERE \(name) = $2 AND \(isTheRow)",
            parameters: [.blob(record), .blob(row.record)] + row.key)
        return transaction.changes == 1
    }
}

// MARK: - Sealed columns of a schema

extension SealedColumn {
    /// The name of a column in a schema.
    struct QualifiedName: Hashable, Sendable {
        var table: String
        var column: String
    }

    var named: QualifiedName { QualifiedName(table: table, column: name) }

    /// The sealed columns that the migrations created: those with names that begin with `sealed_`.
    static func named(in migrations: [SQLMigration]) -> Set<QualifiedName> {
        var columns: Set<QualifiedName> = []
        for migration in migrations {
            var table = ""
            var previous = ("", "")
            let words = migration.sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            for word in words where !["IF", "NOT", "EXISTS"].contains(word) {
                switch (previous.0, previous.1, word) {
                case ("DROP", "TABLE", let name): columns = columns.filter { $0.table != name }
                case (_, "TABLE", let name): table = name
                case ("DROP", "COLUMN", let name): columns.remove(QualifiedName(table: table, column: name))
                case (_, _, let name) where name.hasPrefix("sealed_"):
                    columns.insert(QualifiedName(table: table, column: name))
                default: break  // Every other word of SQL.
                }
                previous = (previous.1, word)
            }
        }
        return columns
    }
}

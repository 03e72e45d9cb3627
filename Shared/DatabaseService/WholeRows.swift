package import SQL

/// Rows of a described table, for `SQLTransaction.insert`: many rows at once, several times as fast as a statement for each.
package struct WholeRows<Table: SQLTableDescription>: Sendable {
    /// With the columns of the description only: a newer release may have added others.
    private var table: SQLTable
    private let columns: [Table]
    private let positions: [String: Int]
    private var rows: [SQLRow] = []

    /// - Parameter tables: of the database, `SQLTransaction.tables()`.
    package init(_ tables: [SQLTable]) {
        guard let table = tables.first(where: { $0.name == Table.table }) else {
            preconditionFailure("the migrations make \(Table.table)")
        }
        self.table = table
        columns = table.columns.compactMap(Table.init)
        self.table.columns = columns.map(\.rawValue)
        positions = Dictionary(uniqueKeysWithValues: zip(self.table.columns, 0...))
    }

    /// - Parameter record: a column that it does not have is null.
    package mutating func append(_ record: SQLRecord<Table>) {
        rows.append(SQLRow(positions: positions, values: columns.map { record[$0] ?? .null }))
    }

    package func insert(into transaction: borrowing SQLTransaction) throws(SQLError) {
        try transaction.insert(rows, into: table)
    }

    /// As `insert`, for a table that numbers its rows: its numbers continue after those of the records.
    package func insertNumbered(into transaction: borrowing SQLTransaction) throws(SQLError) {
        try insert(into: transaction)
        try transaction.catalog.advanceSequence(transaction, of: table)
    }
}

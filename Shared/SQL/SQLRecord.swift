/// Values of columns of one table, by column: what a statement writes or looks for.
///
///     let record: SQLRecord<CountTable> = [.project: project, .sent: 1, .lockedUntil: nil]
package struct SQLRecord<Table: SQLTableDescription>: Equatable, Sendable {
    package private(set) var values: [Table: SQLValue]

    /// The value of a column; nil for a column that the record does not have.
    package subscript(column: Table) -> SQLValue? {
        get { values[column] }
        set { values[column] = newValue }
    }

    /// The columns of both. Where both have a column, the value of the second counts.
    package static func + (first: Self, second: Self) -> Self {
        var sum = first
        sum.values.merge(second.values) { $1 }
        return sum
    }
}

extension SQLRecord: ExpressibleByDictionaryLiteral {
    /// Nil is null. Of a column that is written twice the last value counts.
    package init(dictionaryLiteral elements: (Table, (any SQLConvertible)?)...) {
        values = Dictionary(minimumCapacity: elements.count)
        for (column, value) in elements { values[column] = value?.sqlValue ?? .null }
    }
}

/// One row of the result of a statement on a described table.
package struct SQLTableRow<Table: SQLTableDescription>: Equatable, Sendable {
    package let row: SQLRow

    package init(_ row: SQLRow) {
        self.row = row
    }

    /// The value of a column that must have one.
    /// - Throws: `SQLError.columnTypeMismatch` when the column was not selected, is null, or holds another type.
    package func get<Value: SQLConvertible>(_ column: Table) throws(SQLError) -> Value {
        try row.get(column.rawValue)
    }

    /// The value of a column, nil for null.
    /// - Throws: `SQLError.columnTypeMismatch` when the column was not selected or holds another type.
    package func getIfPresent<Value: SQLConvertible>(_ column: Table) throws(SQLError) -> Value? {
        try row.getIfPresent(column.rawValue)
    }
}

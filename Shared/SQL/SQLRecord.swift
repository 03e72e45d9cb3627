/// Values of columns of one table, by column: what a statement writes or looks for.
///
///     let record: SQLRecord<CountTable> = [.project: project, .sent: 1, .lockedUntil: nil]
///
/// It is built for every call of a statement.
package struct SQLRecord<Table: SQLTableDescription>: Sendable {
    /// The last value of a column that is written twice counts.
    let values: [SQLColumnValue]

    /// The value of a column; nil for a column that the record does not have.
    package subscript(column: Table) -> SQLValue? {
        let name = column.rawValue
        return values.last { $0.column == name }?.value
    }

    /// The columns of both. Where both have a column, the value of the second counts.
    package static func + (first: Self, second: Self) -> Self {
        Self(values: first.values + second.values)
    }
}

extension SQLRecord: ExpressibleByDictionaryLiteral {
    /// Nil is null.
    package init(dictionaryLiteral elements: (Table, (any SQLConvertible)?)...) {
        var values: [SQLColumnValue] = []
        values.reserveCapacity(elements.count)
        for (column, value) in elements {
            values.append(SQLColumnValue(column: column.rawValue, value: value?.sqlValue ?? .null))
        }
        self.init(values: values)
    }
}

/// A value with the name of its column. Not a tuple, and without the type of the table: for both, the Swift runtime
/// would look up metadata in every record.
struct SQLColumnValue: Sendable {
    var column: String
    var value: SQLValue
}

/// One row of the result of a statement on a described table.
package struct SQLTableRow<Table: SQLTableDescription>: Equatable, Sendable {
    private let row: SQLRow

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

    /// The value of a column that the statement computes, by its alias.
    /// - Throws: `SQLError.columnTypeMismatch` when there is no such column, or it is null or holds another type.
    package func get<Value: SQLConvertible>(computed alias: String) throws(SQLError) -> Value {
        try row.get(alias)
    }

    /// The value of a column that the statement computes, by its alias; nil for null.
    /// - Throws: `SQLError.columnTypeMismatch` when there is no such column or it holds another type.
    package func getIfPresent<Value: SQLConvertible>(computed alias: String) throws(SQLError) -> Value? {
        try row.getIfPresent(alias)
    }
}

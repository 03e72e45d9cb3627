/// One row of a result, copied out of the database: it stays valid after its transaction.
package struct SQLRow: Equatable, Sendable {
    /// The position of each column. Shared by all rows of a statement.
    package let positions: [String: Int]
    package let values: [SQLValue]

    /// For an engine, which copies its results.
    package init(positions: [String: Int], values: [SQLValue]) {
        self.positions = positions
        self.values = values
    }

    /// The value of a column that must have one.
    /// - Throws: `SQLError.columnTypeMismatch` when there is no such column, it is null, or it holds another type.
    package func get<Value: SQLConvertible>(_ column: String) throws(SQLError) -> Value {
        guard let value: Value = try getIfPresent(column) else {
            throw .columnTypeMismatch(name: column, expected: Value.kind, found: SQLValue.null.kind)
        }
        return value
    }

    /// The value of a column, nil for null.
    /// - Throws: `SQLError.columnTypeMismatch` when there is no such column or it holds another type.
    package func getIfPresent<Value: SQLConvertible>(_ column: String) throws(SQLError) -> Value? {
        guard let position = positions[column] else {
            throw .columnTypeMismatch(name: column, expected: Value.kind, found: "nothing: it was not selected")
        }
        let stored = values[position]
        if case .null = stored { return nil }
        guard let value = Value(sqlValue: stored) else {
            throw .columnTypeMismatch(name: column, expected: Value.kind, found: stored.kind)
        }
        return value
    }
}

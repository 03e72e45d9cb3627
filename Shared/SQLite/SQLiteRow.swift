/// One row of an answer, copied out of the database: it outlives its transaction.
package struct SQLiteRow: Equatable, Sendable {
    /// Where each column stands. Shared by all rows of a statement.
    let positions: [String: Int]
    let values: [SQLiteValue]

    /// The value of a column that must have one.
    /// - Throws: `SQLiteError.column` when there is no such column, it is null, or it holds another type.
    package func get<Value: SQLiteReadable>(_ column: String) throws(SQLiteError) -> Value {
        guard let value: Value = try getIfPresent(column) else {
            throw .column(name: column, expected: Value.kind, found: SQLiteValue.null.kind)
        }
        return value
    }

    /// The value of a column, nil for null.
    /// - Throws: `SQLiteError.column` when there is no such column or it holds another type.
    package func getIfPresent<Value: SQLiteReadable>(_ column: String) throws(SQLiteError) -> Value? {
        guard let position = positions[column] else {
            throw .column(name: column, expected: Value.kind, found: "nothing: it was not selected")
        }
        let stored = values[position]
        if case .null = stored { return nil }
        guard let value = Value(stored) else {
            throw .column(name: column, expected: Value.kind, found: stored.kind)
        }
        return value
    }
}

import JSON

extension SQLTableRow {
    /// The value of a column with JSON, which `WireJSON.text` has written.
    /// - Throws: `SQLError.columnTypeMismatch` as `get`, `JSONError`, `DecodingError`.
    package func getJSON<Value: Decodable>(_ column: Table) throws -> Value {
        let text: String = try get(column)
        return try WireJSON.decodeUnchecked(Value.self, from: text.utf8)
    }

    /// The same; nil for null.
    package func getJSONIfPresent<Value: Decodable>(_ column: Table) throws -> Value? {
        let text: String? = try getIfPresent(column)
        return try text.map { try WireJSON.decodeUnchecked(Value.self, from: $0.utf8) }
    }
}

import SQL
import ServiceRuntime
import Vocabulary

/// U+0000 in stored text. PostgreSQL cannot store it, and no decoder accepts it. A restore replaces it.
enum NullCharacters {
    /// One value that was changed.
    struct Replacement: Encodable, Equatable, Sendable {
        var table: String
        var column: String
        /// The key of the row, for the operator.
        var key: String

        var sentence: String {
            "\(table).\(column) of the row \(key) contained U+0000, which is U+FFFD now"
        }
    }

    /// Replaces every U+0000 by U+FFFD in the text of a SQLite file, also the escapes in JSON documents.
    /// - Throws: `SQLError`.
    static func replace(
        in database: borrowing SQLTransaction, _ tables: [SQLTable]
    ) throws(SQLError) -> [Replacement] {
        var replacements: [Replacement] = []
        for table in tables where !table.primaryKey.isEmpty {
            let conditions = table.columns.map { column in
                let name = quoted(column)
                return "(typeof(\(name)) = 'text' AND (instr(CAST(\(name) AS BLOB), x'00') > 0 "
                    + "OR instr(\(name), '\\u0000') > 0))"
            }
            let rows = try database.rows(
                "SELECT \(table.columns.map(quoted).joined(separator: ", ")) FROM \(quoted(table.name)) "
                    + "WHERE \(conditions.joined(separator: " OR "))")
            for row in rows { replacements += try replace(in: row, of: table, database) }
        }
        return replacements
    }

    private static func replace(
        in row: SQLRow, of table: SQLTable, _ database: borrowing SQLTransaction
    ) throws(SQLError) -> [Replacement] {
        let values = Dictionary(zip(table.columns, row.values), uniquingKeysWith: { first, _ in first })
        let key = table.primaryKey.map { values[$0] ?? .null }
        let changes = zip(table.columns, row.values).compactMap { column, value -> (String, SQLValue)? in
            guard case .text(let text) = value, case let fixed = withoutNulls(text), fixed != text else { return nil }
            return (column, .text(fixed))
        }
        guard !changes.isEmpty else { return [] }
        let assignments = changes.enumerated().map { "\(quoted($1.0)) = $\($0 + 1)" }.joined(separator: ", ")
        let condition = table.primaryKey.enumerated().map { "\(quoted($1)) = $\(changes.count + $0 + 1)" }
            .joined(separator: " AND ")
        try database.execute(
            "UPDATE \(quoted(table.name)) SET \(assignments) WHERE \(condition)", parameters: changes.map(\.1) + key)
        let shown = zip(table.primaryKey, key).map { "\($0)=\(text(of: $1))" }.joined(separator: " ")
        return changes.map { Replacement(table: table.name, column: $0.0, key: shown) }
    }

    /// The text with U+FFFD instead of U+0000. In a JSON document the escape `\u0000` is the same character.
    static func withoutNulls(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let isDocument = bytes.first { $0 != 0x20 && $0 != 0x0a }.map {
            $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[")
        }
        let escape = Array("u0000".utf8)
        let replacement = Array("\u{FFFD}".utf8)
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == 0 {
                result += replacement
            } else if byte == UInt8(ascii: "\\"), isDocument == true {
                if rest.starts(with: escape) {
                    rest = rest.dropFirst(escape.count)
                    result += replacement
                } else {
                    // The second character belongs to the escape, and may be another backslash.
                    result.append(byte)
                    if let next = rest.popFirst() { result.append(next) }
                }
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func text(of value: SQLValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): LogEscaping.escaped(text, maximumBytes: 100, betweenQuotes: false)
        case .blob(let bytes): bytes.hexadecimal
        }
    }

    private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}

internal import CSQLite
import SQL

/// A prepared statement that runs repeatedly on the connection that prepared it. It never leaves the thread of the
/// connection. It is a class only because the cache stores statements in a dictionary.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let path: String
    /// For each parameter in SQLite's order of first appearance, its number: 2 and 1 for `$2 … $1`.
    private let parameterNumbers: [Int]
    private let parameterCount: Int
    private var positions: [String: Int] = [:]

    /// Whether it changes no row.
    let isReadOnly: Bool
    /// When it last ran, in uses of its connection. The cache evicts the statement with the lowest value.
    var lastUse: UInt64 = 0

    /// Prepares exactly one statement, whose parameters are named `$1`, `$2`, and so on without a gap.
    init(_ sql: String, on database: OpaquePointer, path: String) throws(SQLError) {
        var prepared: OpaquePointer?
        var rest = ""
        let code = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
            if let tail { rest = String(cString: tail) }
            return code
        }
        guard code == SQLITE_OK else { throw SQLError(code: code, database: database, path: path) }
        guard let prepared else { throw .other(code: String(SQLITE_MISUSE), message: "no statement in the text") }
        let numbers = Self.parameterNumbers(of: prepared)
        guard rest.allSatisfy(\.isWhitespace), let numbers, Set(numbers) == Set(1..<numbers.count + 1) else {
            // The initialization is not complete: `deinit` does not run.
            sqlite3_finalize(prepared)
            throw .other(code: String(SQLITE_MISUSE), message: "not one statement with parameters $1, $2, ...: \(sql)")
        }
        handle = prepared
        self.database = database
        self.path = path
        parameterNumbers = numbers
        parameterCount = numbers.count
        isReadOnly = sqlite3_stmt_readonly(prepared) != 0
    }

    /// The result repeats the error of the last run, which was reported then.
    deinit { sqlite3_finalize(handle) }

    /// Nil if a parameter does not consist of `$` and a number.
    private static func parameterNumbers(of statement: OpaquePointer) -> [Int]? {
        var numbers: [Int] = []
        for index in 0..<sqlite3_bind_parameter_count(statement) {
            guard let name = sqlite3_bind_parameter_name(statement, index + 1).map({ String(cString: $0) }),
                name.hasPrefix("$"), let number = Int(name.dropFirst())
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Runs to the end, or, if it changes nothing, until there are `limit` rows.
    /// - Returns: copies of at most `limit` rows.
    func run(_ parameters: [SQLValue], limit: Int) throws(SQLError) -> [SQLRow] {
        guard parameters.count == parameterCount else {
            throw .parameterCount(expected: parameterCount, given: parameters.count)
        }
        defer {
            // Both only repeat the error of the step, or cannot fail. An open statement would hold the snapshot.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, number) in parameterNumbers.enumerated() {
            try check(bind(parameters[number - 1], at: Int32(index + 1)))
        }
        var rows: [SQLRow] = []
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW:
                if rows.count < limit { rows.append(try currentRow()) }
                if rows.count == limit, isReadOnly { return rows }
            case SQLITE_DONE:
                return rows
            case let code:
                throw SQLError(code: code, database: database, path: path)
            }
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .real(let number): return sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // A nil address would bind null instead of the empty text.
                    guard let start = characters.baseAddress else { return csqlite_bind_text(handle, index, "", 0) }
                    return csqlite_bind_text(handle, index, start, UInt64(characters.count))
                }
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
        }
    }

    private func currentRow() throws(SQLError) -> SQLRow {
        let count = sqlite3_column_count(handle)
        // A migration after preparing can change the meaning of `*`; SQLite then prepares the statement again itself.
        if positions.count != Int(count) { positions = columnPositions(count) }
        var values: [SQLValue] = []
        values.reserveCapacity(Int(count))
        for index in 0..<count { values.append(try value(at: index)) }
        return SQLRow(positions: positions, values: values)
    }

    private func columnPositions(_ count: Int32) -> [String: Int] {
        let names = (0..<count).map { (String(cString: sqlite3_column_name(handle, $0)), Int($0)) }
        return Dictionary(names, uniquingKeysWith: { first, _ in first })
    }

    private func value(at index: Int32) throws(SQLError) -> SQLValue {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT:
            // The pointer first: reading it may convert the value and change the count.
            guard let start = sqlite3_column_text(handle, index) else {
                throw SQLError(code: SQLITE_NOMEM, database: database, path: path)
            }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            return .text(String(decoding: bytes, as: UTF8.self))
        default:
            // An empty blob has no address.
            guard let start = sqlite3_column_blob(handle, index) else { return .blob([]) }
            return .blob([UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))))
        }
    }

    private func check(_ code: Int32) throws(SQLError) {
        guard code == SQLITE_OK else { throw SQLError(code: code, database: database, path: path) }
    }
}

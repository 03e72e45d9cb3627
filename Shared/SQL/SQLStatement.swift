/// One statement on a described table, with its parameters by name. Keep it in a `static let`: its text is made once, and
/// each connection prepares it once.
///
/// `:column` stands for the value of that column in the record of a call, `$1`, `$2`, ... for the further arguments of
/// the call:
///
///     static let verified = SQLStatement<CountTable>(
///         "UPDATE counts SET verified = verified + 1 WHERE project = :project AND verified < $1")
package struct SQLStatement<Table: SQLTableDescription>: Sendable {
    /// The text for the engine, in which every parameter has a number.
    package let text: String
    private let argumentCount: Int
    /// The columns with a parameter. The first has the number after the last argument.
    private let columns: [String]

    /// - Parameter text: one statement. A name after a colon that is no column of the table is left as it is; no engine
    ///   accepts that.
    package init(_ text: String) {
        let pieces = Self.pieces(of: text)
        let numbers = pieces.compactMap { piece in piece.hasPrefix("$") ? Int(piece.dropFirst()) : nil }
        argumentCount = max(0, numbers.max() ?? 0)
        var columns: [String] = []
        var numbered = ""
        for piece in pieces {
            guard piece.hasPrefix(":"), let column = Table(rawValue: String(piece.dropFirst())) else {
                numbered += piece
                continue
            }
            let place = columns.firstIndex(of: column.rawValue) ?? columns.count
            if place == columns.count { columns.append(column.rawValue) }
            numbered += "$\(argumentCount + place + 1)"
        }
        self.text = numbered
        self.columns = columns
    }

    /// The text, cut before and behind each `:name` and `$number`.
    private static func pieces(of text: String) -> [Substring] {
        var pieces: [Substring] = []
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == ":" || $0 == "$" }) {
            let name = rest[rest.index(after: start)...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            pieces += [rest[..<start], rest[start..<name.endIndex]]
            rest = rest[name.endIndex...]
        }
        return pieces + [rest]
    }

    /// The values of all parameters, in the order of their numbers.
    /// - Throws: `SQLError.recordMismatch`, `parameterCount`.
    package func parameters(_ record: SQLRecord<Table>, _ arguments: [SQLValue]) throws(SQLError) -> [SQLValue] {
        guard arguments.count == argumentCount else {
            throw .parameterCount(expected: argumentCount, given: arguments.count)
        }
        var parameters = arguments + Array(repeating: .null, count: columns.count)
        var isGiven = Array(repeating: false, count: columns.count)
        // Most records have their columns in the order of the statement.
        var next = 0
        for given in record.values {
            guard let column = index(of: given.column, near: next) else { throw mismatch(record) }
            parameters[argumentCount + column] = given.value
            isGiven[column] = true
            next = column + 1
        }
        guard !isGiven.contains(false) else { throw mismatch(record) }
        return parameters
    }

    /// The index in `columns`. The one at `guess` is compared first.
    private func index(of column: String, near guess: Int) -> Int? {
        guess < columns.count && columns[guess] == column ? guess : columns.firstIndex(of: column)
    }

    private func mismatch(_ record: SQLRecord<Table>) -> SQLError {
        let given = Set(record.values.map(\.column))
        return .recordMismatch(
            table: Table.table, missing: columns.filter { !given.contains($0) },
            unexpected: given.subtracting(columns).sorted())
    }
}

// MARK: - The usual statements

extension SQLTableDescription {
    /// Inserts a row.
    /// - Parameters:
    ///   - omitted: columns that the database fills in, such as the number of the row.
    ///   - suffix: for example `ON CONFLICT (id) DO NOTHING`.
    package static func insert(omitting omitted: [Self] = [], _ suffix: String = "") -> SQLStatement<Self> {
        let names = allCases.filter { !omitted.contains($0) }.map(\.rawValue)
        return .init(
            """
            INSERT INTO \(table) (\(names.joined(separator: ", ")))
            VALUES (\(names.map { ":\($0)" }.joined(separator: ", "))) \(suffix)
            """)
    }

    /// Inserts a row with all columns, or replaces all columns of the row that has the key.
    package static func upsert() -> SQLStatement<Self> {
        let changes = allCases.filter { !key.contains($0) }.map { "\($0.rawValue) = excluded.\($0.rawValue)" }
        return insert(
            "ON CONFLICT (\(keyNames.joined(separator: ", "))) DO UPDATE SET \(changes.joined(separator: ", "))")
    }

    /// Changes columns of the rows that have the values of `columns` in the record.
    /// - Parameters:
    ///   - changed: none of them is among `columns`.
    ///   - columns: nil for the key.
    ///   - suffix: for example `AND sent < $1`.
    package static func update(
        _ changed: [Self], where columns: [Self]? = nil, _ suffix: String = ""
    ) -> SQLStatement<Self> {
        let changes = changed.map { "\($0.rawValue) = :\($0.rawValue)" }
        return .init("UPDATE \(table) SET \(changes.joined(separator: ", ")) \(condition(columns)) \(suffix)")
    }

    /// Deletes the rows that have the values of `columns` in the record.
    /// - Parameters:
    ///   - columns: nil for the key.
    ///   - suffix: for example `AND sent < $1`.
    package static func delete(where columns: [Self]? = nil, _ suffix: String = "") -> SQLStatement<Self> {
        .init("DELETE FROM \(table) \(condition(columns)) \(suffix)")
    }

    /// Selects the rows that have the values of `columns` in the record.
    /// - Parameters:
    ///   - selected: nil for all columns.
    ///   - columns: nil for the key; empty for rows that `suffix` alone chooses.
    ///   - suffix: for example `AND expires_at > $1 ORDER BY created_at LIMIT $2`.
    package static func select(
        _ selected: [Self]? = nil, where columns: [Self]? = nil, _ suffix: String = ""
    ) -> SQLStatement<Self> {
        let names = selected?.map(\.rawValue) ?? columnNames
        return .init("SELECT \(names.joined(separator: ", ")) FROM \(table) \(condition(columns)) \(suffix)")
    }

    private static func condition(_ columns: [Self]?) -> String {
        let columns = columns ?? key
        guard !columns.isEmpty else { return "" }
        return "WHERE \(columns.map { "\($0.rawValue) = :\($0.rawValue)" }.joined(separator: " AND "))"
    }
}

extension SQLTransaction {
    /// Runs a statement for its effect.
    /// - Parameters:
    ///   - record: a value for each column that the statement names after a colon, and no other.
    ///   - arguments: the values of `$1`, `$2`, ...
    /// - Throws: `SQLError.recordMismatch`, `parameterCount`, or what the engine throws.
    package func execute<Table>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table> = [:], _ arguments: any SQLConvertible...
    ) throws(SQLError) {
        try execute(statement, record, arguments: arguments)
    }

    /// Runs a statement for its effect, of which nothing in the body depends: neither its error nor `changes`. An engine on a
    /// network sends it with the next statement or with the commit, which then throws its error.
    /// - Throws: as `execute`, or the error of an earlier one.
    package func executeLater<Table>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table> = [:], _ arguments: any SQLConvertible...
    ) throws(SQLError) {
        try executeLater(statement.text, parameters: statement.parameters(record, arguments.map(\.sqlValue)))
    }

    /// Runs a statement and returns every row of its result. Bound them by `LIMIT`.
    /// - Throws: as `execute`.
    package func rows<Table>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table> = [:], _ arguments: any SQLConvertible...
    ) throws(SQLError) -> [SQLTableRow<Table>] {
        try rows(statement, record, arguments: arguments)
    }

    /// Runs a statement and returns the first row of its result. One that changes rows still runs to its end.
    /// - Throws: as `execute`.
    package func firstRow<Table>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table> = [:], _ arguments: any SQLConvertible...
    ) throws(SQLError) -> SQLTableRow<Table>? {
        try firstRow(statement.text, parameters: statement.parameters(record, arguments.map(\.sqlValue)))
            .map(SQLTableRow.init)
    }

    /// `execute` for arguments in an array.
    package func execute<Table>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table>, arguments: [any SQLConvertible]
    ) throws(SQLError) {
        try execute(statement.text, parameters: statement.parameters(record, arguments.map(\.sqlValue)))
    }

    /// `rows` for arguments in an array.
    package func rows<Table>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table>, arguments: [any SQLConvertible]
    ) throws(SQLError) -> [SQLTableRow<Table>] {
        try rows(statement.text, parameters: statement.parameters(record, arguments.map(\.sqlValue)))
            .map(SQLTableRow.init)
    }
}

internal import CPostgres
internal import SQL

/// What the server answered to one command. Freed with its last reference; it never leaves the thread of its
/// connection.
final class PostgresResult {
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { PQclear(handle) }

    /// It marks the end of a batch and answers no command.
    var endsBatch: Bool { PQresultStatus(handle) == PGRES_PIPELINE_SYNC }

    /// The text held no command.
    var isEmpty: Bool { PQresultStatus(handle) == PGRES_EMPTY_QUERY }

    /// Why the server did not do it; nil when it did. A command behind a refused one in a batch was not looked at.
    var refusal: PostgresError? {
        switch PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC: return nil
        default:
            // What libpq itself has to say comes without a code, and only when the connection is gone.
            return PostgresError(
                state: field(cpostgres_field_state) ?? "08006",
                message: field(cpostgres_field_message) ?? LibpqConnection.firstLine(PQresultErrorMessage(handle)),
                table: field(cpostgres_field_table) ?? "", column: field(cpostgres_field_column) ?? "",
                constraint: field(cpostgres_field_constraint) ?? "")
        }
    }

    private func field(_ code: Int32) -> String? {
        PQresultErrorField(handle, code).map { String(cString: $0) }
    }

    /// What was done, for example `INSERT`, `SELECT` or `ROLLBACK`.
    var command: Substring {
        String(cString: PQcmdStatus(handle)).prefix { $0 != " " }
    }

    /// Rows that were inserted, updated or deleted; nil for every other command.
    var changes: Int? {
        switch command {
        case "INSERT", "UPDATE", "DELETE": Int(String(cString: PQcmdTuples(handle)))
        default: nil
        }
    }

    /// The types of the parameters, for the answer to a question about a prepared statement.
    var parameterTypes: [PostgresType] {
        (0..<PQnparams(handle)).map { PostgresType(id: PQparamtype(handle, $0)) }
    }

    var columnNames: [String] {
        (0..<PQnfields(handle)).map { String(cString: PQfname(handle, $0)) }
    }

    /// Copies out rows.
    /// - Throws: `SQLError.columnTypeMismatch` for a column of a type we do not read.
    func rows(positions: [String: Int], limit: Int) throws(SQLError) -> [SQLRow] {
        let types = (0..<PQnfields(handle)).map { PostgresType(id: PQftype(handle, $0)) }
        var rows: [SQLRow] = []
        for row in 0..<Int32(min(limit, Int(PQntuples(handle)))) {
            var values: [SQLValue] = []
            values.reserveCapacity(types.count)
            for (column, type) in types.enumerated() { values.append(try value(row, Int32(column), type)) }
            rows.append(SQLRow(positions: positions, values: values))
        }
        return rows
    }

    private func value(_ row: Int32, _ column: Int32, _ type: PostgresType) throws(SQLError) -> SQLValue {
        guard PQgetisnull(handle, row, column) == 0 else { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
        guard let value = type.value(bytes) else {
            throw .columnTypeMismatch(
                name: String(cString: PQfname(handle, column)), expected: "an integer, a real, text or a blob",
                found: type.name)
        }
        return value
    }
}

/// Why the server did not do what it was told.
struct PostgresError {
    /// The SQLSTATE: five digits and capitals (PostgreSQL manual, appendix A).
    var state: String
    /// The main sentence. What the server says beside it quotes rows.
    var message: String
    var table = ""
    var column = ""
    /// For a unique index without a constraint, its name.
    var constraint = ""
}

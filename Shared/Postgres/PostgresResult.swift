internal import CPostgres
import SQL

/// The server's result of one command. Freed with its last reference; it never leaves the thread of its connection.
final class PostgresResult {
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { PQclear(handle) }

    /// Whether it marks the end of a batch and is not the result of a command.
    var endsBatch: Bool { PQresultStatus(handle) == PGRES_PIPELINE_SYNC }

    /// Whether the server waits for the rows of a `COPY`.
    var awaitsRows: Bool { PQresultStatus(handle) == PGRES_COPY_IN }

    /// Whether the text contained no command.
    var isEmpty: Bool { PQresultStatus(handle) == PGRES_EMPTY_QUERY }

    /// The error of the command; nil if it succeeded. After an error the server skips the other commands of the batch.
    var refusal: PostgresError? {
        switch PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC, PGRES_COPY_IN: return nil
        default:
            // Errors of libpq itself have no code. They occur only when the connection is lost.
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

    /// The command, for example `INSERT`, `SELECT` or `ROLLBACK`.
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

    /// The types of the parameters, in the result of a request to describe a prepared statement.
    var parameterTypes: [PostgresType] {
        (0..<PQnparams(handle)).map { PostgresType(id: PQparamtype(handle, $0)) }
    }

    var columnNames: [String] {
        (0..<PQnfields(handle)).map { String(cString: PQfname(handle, $0)) }
    }

    /// Copies the rows.
    /// - Throws: `SQLError.columnTypeMismatch` for a column of an unsupported type.
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

/// An error of the server.
struct PostgresError {
    /// The SQLSTATE: five digits and capitals (PostgreSQL manual, appendix A).
    var state: String
    /// The primary message. The other parts of the error quote rows.
    var message: String
    var table = ""
    var column = ""
    /// For a unique index without a constraint, its name.
    var constraint = ""
}

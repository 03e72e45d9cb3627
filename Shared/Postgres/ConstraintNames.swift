internal import SQL
internal import Synchronization

/// What the constraints of a schema are called in errors: as SQLite calls them, by their columns. PostgreSQL names only
/// the constraint, and inside a transaction that failed nobody can ask it for more. Shared by the threads of a pool.
final class ConstraintNames: Sendable {
    private let names = Mutex<[String: String]>([:])

    /// For a unique constraint its columns, `accounts.project, accounts.email`, or `index 'name'` for an index over
    /// expressions; for a check its name, or what it demands if nobody gave it a name.
    subscript(constraint: String) -> String? { names.withLock { $0[constraint] } }

    /// What stands for a constraint nobody knows.
    static func unknown(_ constraint: String) -> String { "index '\(constraint)'" }

    func replace(with loaded: [String: String]) {
        names.withLock { $0 = loaded }
    }

    /// Keeps one that is not in the catalogue from being looked for again.
    func markUnknown(_ constraint: String) {
        names.withLock { names in
            if names[constraint] == nil { names[constraint] = Self.unknown(constraint) }
        }
    }

    /// Asks the catalogue.
    static func load(of schema: String, in transaction: borrowing SQLTransaction) throws -> [String: String] {
        var columns: [String: [String?]] = [:]
        for row in try transaction.rows(keys, .text(schema)) {
            let column: String? = try row.getIfPresent("column_name")
            let table: String = try row.get("table_name")
            columns[try row.get("name"), default: []].append(column.map { "\(table).\($0)" })
        }
        var names = Dictionary(
            uniqueKeysWithValues: columns.map { name, columns in
                // A place without a column is an expression.
                (name, columns.contains(nil) ? unknown(name) : columns.compactMap { $0 }.joined(separator: ", "))
            })
        for row in try transaction.rows(checks, .text(schema)) {
            let (name, table): (String, String) = (try row.get("name"), try row.get("table_name"))
            names[name] = checkDisplayName(name: name, table: table, definition: try row.get("definition"))
        }
        return names
    }

    /// A name like `accounts_age_check` was made by the server. SQLite shows what such a check demands, for which the
    /// server has words of its own: `CHECK ((age < 200))`.
    private static func checkDisplayName(name: String, table: String, definition: String) -> String {
        let isMadeByServer = name.hasPrefix(table + "_") && name.contains("_check")
        guard isMadeByServer, definition.hasPrefix("CHECK (("), definition.hasSuffix("))") else { return name }
        return String(definition.dropFirst("CHECK ((".count).dropLast(2))
    }

    /// One row for each column of a unique key, in the order of the key. Columns an index only carries do not count.
    private static let keys = """
        SELECT i.relname AS name, t.relname AS table_name, a.attname AS column_name
        FROM pg_catalog.pg_index x
        JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_class t ON t.oid = x.indrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k (attnum, place)
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum AND k.attnum > 0
        WHERE x.indisunique AND n.nspname = $1 AND k.place <= x.indnkeyatts
        ORDER BY i.relname, k.place
        """

    private static let checks = """
        SELECT c.conname AS name, t.relname AS table_name, pg_catalog.pg_get_constraintdef(c.oid) AS definition
        FROM pg_catalog.pg_constraint c
        JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        WHERE c.contype = 'c' AND n.nspname = $1
        """
}

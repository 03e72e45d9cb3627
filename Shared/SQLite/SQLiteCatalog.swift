import SQL

/// Reads the schema from `sqlite_schema` and its pragmas.
struct SQLiteCatalog: SQLCatalog {
    func tables(_ transaction: borrowing SQLTransaction) throws(SQLError) -> [SQLTable] {
        var tables: [SQLTable] = []
        // Names with this prefix belong to SQLite (https://www.sqlite.org/fileformat2.html, section 2.6).
        for row in try transaction.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name")
        where try row.get("name") != CommitCounter.table {
            tables.append(try table(named: try row.get("name"), transaction))
        }
        return tables
    }

    private func table(
        named name: String, _ transaction: borrowing SQLTransaction
    ) throws(SQLError) -> SQLTable {
        var columns: [String] = []
        var key: [(position: Int, column: String)] = []
        for row in try transaction.rows("SELECT name, pk FROM pragma_table_info($1) ORDER BY cid", .text(name)) {
            let column: String = try row.get("name")
            let position: Int = try row.get("pk")
            columns.append(column)
            if position > 0 { key.append((position, column)) }
        }
        var references: Set<String> = []
        for row in try transaction.rows(
            "SELECT \"table\" AS target FROM pragma_foreign_key_list($1)", .text(name))
        {
            references.insert(try row.get("target"))
        }
        references.remove(name)
        return SQLTable(
            name: name, columns: columns, primaryKey: key.sorted { $0.position < $1.position }.map(\.column),
            references: references)
    }

    /// The next number is always one more than the highest existing one.
    func advanceSequence(_ transaction: borrowing SQLTransaction, of table: SQLTable) {}

    /// A unique index checks rows.
    func dropIndexes(
        _ transaction: borrowing SQLTransaction, of tables: [String]
    ) throws(SQLError) -> [String] {
        var statements: [String] = []
        let indexes = try transaction.rows(
            """
            SELECT s.name AS name, s.tbl_name AS table_name, s.sql AS definition
            FROM sqlite_schema s JOIN pragma_index_list(s.tbl_name) i ON i.name = s.name
            WHERE s.type = 'index' AND s.sql IS NOT NULL AND i."unique" = 0 ORDER BY s.name
            """)
        for row in indexes where tables.contains(try row.get("table_name")) {
            let name: String = try row.get("name")
            statements.append(try row.get("definition"))
            try transaction.execute("DROP INDEX \(name.quotedName)")
        }
        return statements
    }

    func restoreIndexes(
        _ transaction: borrowing SQLTransaction, _ statements: [String], of tables: [String]
    ) throws(SQLError) {
        for statement in statements { try transaction.execute(statement) }
    }

    func serverTime(_ transaction: borrowing SQLTransaction) -> Int64? { nil }
}

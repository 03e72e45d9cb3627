internal import SQL

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

    /// A write transaction excludes all other writers from its beginning.
    func lockTables(_ transaction: borrowing SQLTransaction, of tables: [String]) {}

    /// The next number is always one more than the highest existing one.
    func advanceSequence(_ transaction: borrowing SQLTransaction, of table: SQLTable) {}

    func serverTime(_ transaction: borrowing SQLTransaction) -> Int64? { nil }
}

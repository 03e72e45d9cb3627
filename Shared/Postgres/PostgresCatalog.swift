import SQL

/// Reads the schema of a session from `pg_catalog`.
struct PostgresCatalog: SQLCatalog {
    func tables(_ transaction: borrowing SQLTransaction) throws(SQLError) -> [SQLTable] {
        var tables: [SQLTable] = []
        // Each list is in the order of the tables, so the row belongs to the last one.
        for row in try transaction.rows(Self.columns) {
            let name: String = try row.get("table_name")
            if tables.last?.name != name {
                tables.append(SQLTable(name: name, columns: [], primaryKey: [], references: []))
            }
            tables[tables.count - 1].columns.append(try row.get("column_name"))
        }
        let places = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.name, $0) })
        for row in try transaction.rows(Self.keys) {
            guard let place = places[try row.get("table_name")] else { continue }
            tables[place].primaryKey.append(try row.get("column_name"))
        }
        for row in try transaction.rows(Self.references) {
            guard let place = places[try row.get("table_name")] else { continue }
            tables[place].references.insert(try row.get("target"))
        }
        return tables
    }

    /// The current time, not the start of the transaction.
    func serverTime(_ transaction: borrowing SQLTransaction) throws(SQLError) -> Int64? {
        try transaction.firstRow(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS milliseconds"
        )?.get("milliseconds")
    }

    /// The sequence only advances. A rollback does not undo its changes, so its value must fit the rows in both cases.
    func advanceSequence(_ transaction: borrowing SQLTransaction, of table: SQLTable) throws(SQLError) {
        guard table.primaryKey.count == 1 else { return }
        let (name, column) = (PostgresSettings.quoted(table.name), PostgresSettings.quoted(table.primaryKey[0]))
        let sequence = try transaction.firstRow(
            "SELECT pg_catalog.pg_get_serial_sequence($1, $2) AS name", .text(name), .text(table.primaryKey[0]))
        guard let sequence: String = try sequence?.getIfPresent("name") else { return }
        try transaction.execute(
            """
            SELECT pg_catalog.setval(s.name, greatest(m.highest, coalesce(pg_catalog.pg_sequence_last_value(s.name), 1)))
            FROM (SELECT CAST($1 AS regclass) AS name) s, (SELECT max(\(column)) AS highest FROM \(name)) m
            WHERE m.highest > 0
            """, .text(sequence))
    }

    /// Indexes that no constraint needs.
    func dropIndexes(
        _ transaction: borrowing SQLTransaction, of tables: [String]
    ) throws(SQLError) -> [String] {
        var statements: [String] = []
        for row in try transaction.rows(Self.indexes) where tables.contains(try row.get("table_name")) {
            let name: String = try row.get("name")
            statements.append(try row.get("definition"))
            try transaction.execute("DROP INDEX \(PostgresSettings.quoted(name))")
        }
        return statements
    }

    /// Also examines the tables: without statistics, the first queries would read all rows.
    func restoreIndexes(
        _ transaction: borrowing SQLTransaction, _ statements: [String], of tables: [String]
    ) throws(SQLError) {
        for statement in statements { try transaction.execute(statement) }
        for table in tables.sorted() { try transaction.execute("ANALYZE \(PostgresSettings.quoted(table))") }
    }

    private static let indexes = """
        SELECT t.relname AS table_name, i.relname AS name, pg_catalog.pg_get_indexdef(i.oid) AS definition
        FROM pg_catalog.pg_index x
        JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_class t ON t.oid = x.indrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        WHERE n.nspname = pg_catalog.current_schema()
            AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint c WHERE c.conindid = i.oid)
        ORDER BY t.relname, i.relname
        """

    private static let columns = """
        SELECT t.relname AS table_name, a.attname AS column_name
        FROM pg_catalog.pg_class t
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE n.nspname = pg_catalog.current_schema() AND t.relkind IN ('r', 'p')
        ORDER BY t.relname, a.attnum
        """

    private static let keys = """
        SELECT t.relname AS table_name, a.attname AS column_name
        FROM pg_catalog.pg_constraint c
        JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k (attnum, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
        WHERE n.nspname = pg_catalog.current_schema() AND c.contype = 'p'
        ORDER BY t.relname, k.place
        """

    private static let references = """
        SELECT t.relname AS table_name, r.relname AS target
        FROM pg_catalog.pg_constraint c
        JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
        JOIN pg_catalog.pg_class r ON r.oid = c.confrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        WHERE n.nspname = pg_catalog.current_schema() AND c.contype = 'f' AND c.confrelid <> c.conrelid
        ORDER BY t.relname, r.relname
        """
}

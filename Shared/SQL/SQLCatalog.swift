/// One table according to the engine's own catalog.
package struct SQLTable: Equatable, Sendable {
    package var name: String
    /// In the order of their declaration.
    package var columns: [String]
    /// In the order of the key; empty for a table without a primary key.
    package var primaryKey: [String]
    /// The other tables that rows of this one reference.
    package var references: Set<String>

    package init(name: String, columns: [String], primaryKey: [String], references: Set<String>) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.references = references
    }
}

/// Operations whose SQL differs between the engines. They are for callers that process a whole database, such as a
/// backup. A store does not need them.
package protocol SQLCatalog: Sendable {
    /// The tables of this database by name, without those of the engine itself.
    func tables(_ transaction: borrowing SQLTransaction) throws(SQLError) -> [SQLTable]

    /// Lets the numbers that a table assigns itself continue after its highest number. An engine only increases them,
    /// so this is safe even if the commit fails.
    func advanceSequence(_ transaction: borrowing SQLTransaction, of table: SQLTable) throws(SQLError)

    /// Removes the indexes of tables that are not needed to check rows, before many rows are inserted.
    /// - Returns: the statements that make them again.
    func dropIndexes(_ transaction: borrowing SQLTransaction, of tables: [String]) throws(SQLError) -> [String]

    /// Makes the indexes again, after the rows were inserted.
    func restoreIndexes(
        _ transaction: borrowing SQLTransaction, _ statements: [String], of tables: [String]
    ) throws(SQLError)

    /// The current time of the database server in Unix milliseconds; nil for an engine in this process.
    func serverTime(_ transaction: borrowing SQLTransaction) throws(SQLError) -> Int64?
}

extension String {
    /// As a quoted identifier: `at` and `order` are names too.
    package var quotedName: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}

extension SQLTransaction {
    /// The tables of this database by name, without those of the engine itself.
    package borrowing func tables() throws(SQLError) -> [SQLTable] { try catalog.tables(self) }
}

/// One table, as the engine's own catalog describes it.
package struct SQLTable: Equatable, Sendable {
    package var name: String
    /// In the order in which they were declared.
    package var columns: [String]
    /// In the order of the key; empty for a table without one.
    package var primaryKey: [String]
    /// The other tables that rows of this one refer to.
    package var references: Set<String>

    package init(name: String, columns: [String], primaryKey: [String], references: Set<String>) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.references = references
    }
}

/// What has to be said to each engine in its own words. For those who handle a whole database, as a backup does; a store
/// has no need of it.
package protocol SQLCatalog: Sendable {
    /// The tables of this database, by name, without those of the engine itself.
    func tables(_ transaction: borrowing SQLTransaction) throws(SQLError) -> [SQLTable]

    /// Keeps every other writer out until the transaction ends. Readers go on, and see what was committed before.
    ///
    /// Call it before anything else in the transaction: an engine with snapshots takes its own at the first statement
    /// that reads, and would not see what writers committed while it waited for them.
    func lockTables(_ transaction: borrowing SQLTransaction, of tables: [String]) throws(SQLError)

    /// Lets a table that numbers its rows by itself go on after its highest number. An engine only ever goes forward, so
    /// this may be done before a commit that then fails.
    func advanceSequence(_ transaction: borrowing SQLTransaction, of table: SQLTable) throws(SQLError)

    /// What the clock of the database server says now, in Unix milliseconds; nil for an engine in this process.
    func serverTime(_ transaction: borrowing SQLTransaction) throws(SQLError) -> Int64?
}

extension SQLTransaction {
    /// The tables of this database, by name, without those of the engine itself.
    package borrowing func tables() throws(SQLError) -> [SQLTable] { try catalog.tables(self) }
}

package import SQL

/// Compares the described tables of a service with the catalog of its database.
package enum TableDescriptionCheck {
    /// - Parameter others: tables of other modules in the same database.
    /// - Returns: a sentence for each difference.
    package static func differences(
        between tables: [any SQLTableDescription.Type], and database: any SQLDatabase, others: Set<String>
    ) async throws -> [String] {
        let catalog = try await database.read { transaction in try transaction.tables() }
            .filter { !SQLTransaction.bookkeepingTables.union(others).contains($0.name) }
        let undescribed = Set(catalog.map(\.name)).subtracting(tables.map { $0.table }).sorted()
            .map { "the table \($0) has no description" }
        return undescribed + tables.flatMap { differences(of: $0, catalog) }
    }

    private static func differences<Table: SQLTableDescription>(of _: Table.Type, _ catalog: [SQLTable]) -> [String] {
        guard let found = catalog.first(where: { $0.name == Table.table }) else {
            return ["the table \(Table.table) is described but does not exist"]
        }
        let columns = Set(found.columns).symmetricDifference(Table.columnNames).sorted()
        var differences = columns.map { "the column \(Table.table).\($0) is only described or only exists" }
        if found.primaryKey != Table.keyNames {
            differences.append("the key of \(Table.table) is \(found.primaryKey), described as \(Table.keyNames)")
        }
        if case .never = Table.expiry, found.columns.contains("expires_at") {
            differences.append("the rows of \(Table.table) expire but are never deleted")
        }
        return differences
    }
}

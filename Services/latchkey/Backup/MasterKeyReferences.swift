internal import MasterKey
internal import SQL

/// Finds the master keys that decrypt the sealed columns of a row.
enum MasterKeyReferences {
    /// Columns that hold sealed records.
    private static let prefix = "sealed_"

    /// - Parameter current: counted for an old record that names no key.
    /// - Returns: the ids of the keys that open the row's sealed columns.
    static func ids(in row: SQLRow, of table: SQLTable, current: MasterKey) -> Set<String> {
        var ids: Set<String> = []
        for (column, value) in zip(table.columns, row.values) where column.hasPrefix(prefix) {
            guard case .blob(let record) = value else { continue }
            ids.insert(SealingKeys.keyID(of: record) ?? current.id)
        }
        return ids
    }
}

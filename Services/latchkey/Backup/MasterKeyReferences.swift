internal import MasterKey
internal import SQL

/// Which master keys a row needs to be of use to anybody.
enum MasterKeyReferences {
    /// Columns that hold sealed records.
    private static let prefix = "sealed_"

    /// - Parameter current: what is counted for a record of before records named their keys.
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

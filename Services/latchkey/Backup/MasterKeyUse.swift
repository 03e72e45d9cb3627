internal import MasterKey
internal import SQL

/// Which master keys a row needs to be of use to anybody.
enum MasterKeyUse {
    /// Columns that hold sealed records.
    private static let prefix = "sealed_"

    /// - Parameter current: seals whatever does not name its key.
    /// - Returns: the ids of the keys that open the row's sealed columns.
    static func ids(in row: SQLRow, of table: SQLTable, current: MasterKey) -> Set<String> {
        let isSealed = zip(table.columns, row.values).contains { column, value in
            column.hasPrefix(prefix) && value != .null
        }
        return isSealed ? [current.id] : []
    }
}

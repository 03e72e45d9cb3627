import MasterKey
import SQL

/// Finds the master keys that decrypt the sealed columns of a backup.
enum MasterKeyReferences {
    /// Columns that hold sealed records.
    private static let prefix = "sealed_"

    /// - Parameters:
    ///   - archive: a SQLite file.
    ///   - current: counted for an old record that names no key.
    /// - Returns: the ids of the keys that open the sealed columns of the tables.
    static func ids(
        in archive: borrowing SQLTransaction, _ tables: [SQLTable], current: MasterKey
    ) throws(SQLError) -> Set<String> {
        var ids: Set<String> = []
        for table in tables {
            for column in table.columns where column.hasPrefix(prefix) {
                let name = column.quotedName
                // One record of each kind: the id of its key is at the beginning, and a shorter one has none.
                let records = try archive.rows(
                    "SELECT \(name) AS record FROM \(table.name.quotedName) WHERE typeof(\(name)) = 'blob' "
                        + "GROUP BY substr(\(name), 1, \(SealingKeys.headerBytes)), "
                        + "length(\(name)) >= \(SealingKeys.minimumBytes)")
                for row in records {
                    let record: [UInt8] = try row.get("record")
                    ids.insert(SealingKeys.keyID(of: record) ?? current.id)
                }
            }
        }
        return ids
    }
}

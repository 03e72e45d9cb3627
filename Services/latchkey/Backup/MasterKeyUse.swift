internal import MasterKey
internal import SQL

/// Which master keys a row needs to be of use.
enum MasterKeyUse {
    /// - Returns: the ids that its sealed columns and its password record name.
    static func ids(in row: SQLRow, of table: SQLTable) throws(SQLError) -> Set<String> {
        []
    }
}

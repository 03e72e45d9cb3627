/// A statement the server has prepared for one connection.
struct PostgresStatement {
    /// Its name on the server.
    let name: String
    let parameterTypes: [PostgresType]
    /// Where each column of its answer stands.
    let positions: [String: Int]
}

/// The prepared statements of one connection, by their text. Those that were not used for longest make room for new ones.
struct PostgresStatements {
    private var entries: [String: (statement: PostgresStatement, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0
    private var named = 0
    /// More texts than any one service has. The bound matters only for texts that are put together at run time.
    private let limit: Int

    /// Names the server still has and nobody uses any more: to be deallocated.
    private(set) var evictedNames: [String] = []

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// Finds a statement, which is then the one used last.
    subscript(sql: String) -> PostgresStatement? {
        mutating get {
            uses += 1
            entries[sql]?.lastUse = uses
            return entries[sql]?.statement
        }
    }

    /// A name no statement of this connection has had.
    mutating func newName() -> String {
        named += 1
        return "s\(named)"
    }

    mutating func insert(_ statement: PostgresStatement, for sql: String) {
        uses += 1
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            evictedNames.append(oldest.value.statement.name)
        }
        entries[sql] = (statement, uses)
    }

    /// The server has deallocated them.
    mutating func removeLeaving() {
        evictedNames = []
    }

    /// Prepares everything anew. The server may have lost the statements, so it is not told to forget them; it does so
    /// when the connection ends.
    mutating func removeAll() {
        entries = [:]
        evictedNames = []
    }
}

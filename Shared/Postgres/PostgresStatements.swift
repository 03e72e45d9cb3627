/// A statement that the server has prepared for one connection.
struct PostgresStatement {
    /// Its name on the server.
    let name: String
    let parameterTypes: [PostgresType]
    /// The position of each column in its result.
    let positions: [String: Int]
}

/// The prepared statements of one connection, by their text. The least recently used ones are evicted for new ones.
struct PostgresStatements {
    private var entries: [String: (statement: PostgresStatement, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0
    private var named = 0
    /// More than the number of texts of any service. The limit matters only for texts that are built at run time.
    private let limit: Int

    /// Names of evicted statements that the server must still deallocate.
    private(set) var evictedNames: [String] = []

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// Finds a statement and marks it as the most recently used one.
    subscript(sql: String) -> PostgresStatement? {
        mutating get {
            uses += 1
            entries[sql]?.lastUse = uses
            return entries[sql]?.statement
        }
    }

    /// A name that no statement of this connection has had.
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

    /// Removes all statements, so that they are prepared again. The server may have lost them, so they are not
    /// deallocated; the end of the connection does that.
    mutating func removeAll() {
        entries = [:]
        evictedNames = []
    }
}

internal import SQL

/// Numbers the commits of a database file, in a row of it and in its watermark, so that a start notices when acknowledged
/// commits are missing. Belongs to the writing thread.
final class CommitCounter {
    /// The engine's own table. It is no part of a schema: no catalog lists it and no copy takes it along.
    static let table = "store_commits"

    /// Begins to count, unless the database counts already. Part of every migration.
    static func create(in transaction: borrowing SQLTransaction) throws(SQLError) {
        try transaction.run(
            script: """
                CREATE TABLE IF NOT EXISTS store_commits (
                    id INTEGER PRIMARY KEY, database INTEGER NOT NULL, commits INTEGER NOT NULL
                )
                """)
        try transaction.execute(
            "INSERT INTO store_commits (id, database, commits) VALUES (1, $1, 0) ON CONFLICT (id) DO NOTHING",
            .integer(.random(in: .min ... .max)))
    }

    private let connection: SQLiteConnection
    private let path: String
    /// Nil as long as the database does not count: it was never migrated.
    private var watermark: CommitWatermark?
    private var lastSynchronization = ContinuousClock.now

    /// What a loss of power may take from the watermark.
    private static let synchronizationInterval = Duration.seconds(5)

    /// Compares the number in the database with its watermark.
    /// - Parameter isNew: this process has just made the file.
    /// - Throws: `SQLError.commitsLost`, `anotherDatabase`, `cannotOpen`, `full`.
    init(of path: String, on connection: SQLiteConnection, isNew: Bool) throws(SQLError) {
        self.connection = connection
        self.path = path
        let file = CommitWatermark.path(of: path)
        if isNew { CommitWatermark.remove(file) }
        // Before the row: another process may commit in between.
        let known = try CommitWatermark.read(file)
        guard let stored = try storedMark() else {
            // Whether an empty file is a first start is for the service to know.
            let isEmpty = try connection.isEmpty
            guard known == nil || isEmpty else { throw .anotherDatabase(path: path, watermark: file) }
            return
        }
        if let known {
            guard known.database == stored.database else { throw .anotherDatabase(path: path, watermark: file) }
            guard known.commits <= stored.commits else {
                throw .commitsLost(path: path, watermark: file, count: known.commits - stored.commits)
            }
        }
        watermark = try CommitWatermark(path: file, besides: path, mark: stored, isWritten: known != nil)
    }

    /// Counts the commit that is about to end, inside of it.
    /// - Returns: what to acknowledge once it is durable; nil when the database does not count.
    func next() throws(SQLError) -> CommitWatermark.Mark? {
        if watermark == nil, try storedMark() == nil { return nil }
        return try mark("UPDATE store_commits SET commits = commits + 1 WHERE id = 1 RETURNING database, commits")
    }

    /// Records a durable commit in the watermark, before any caller gets its reply.
    /// - Throws: `SQLError.cannotOpen`, `full`: there is no watermark yet, and none can be made.
    func acknowledge(_ mark: CommitWatermark.Mark) throws(SQLError) {
        if let watermark {
            watermark.advance(to: mark.commits)
            let now = ContinuousClock.now
            if now - lastSynchronization >= Self.synchronizationInterval {
                watermark.synchronize()
                lastSynchronization = now
            }
            return
        }
        watermark = try CommitWatermark(
            path: CommitWatermark.path(of: path), besides: path, mark: mark, isWritten: false)
    }

    /// - Returns: nil when the database does not count.
    private func storedMark() throws(SQLError) -> CommitWatermark.Mark? {
        let tables = try connection.run(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1", [.text(Self.table)], limit: 1,
            readOnly: true)
        if tables.isEmpty { return nil }
        return try mark("SELECT database, commits FROM store_commits WHERE id = 1")
    }

    private func mark(_ sql: String) throws(SQLError) -> CommitWatermark.Mark? {
        guard let row = try connection.run(sql, [], limit: 1, readOnly: false).first else { return nil }
        return CommitWatermark.Mark(database: try row.get("database"), commits: try row.get("commits"))
    }
}

import SQL

/// Counts the commits of a database file in a row and in its watermark, so that a start detects missing acknowledged
/// commits. Used on the writing thread.
final class CommitCounter {
    /// The engine's own table. It is not part of a schema: catalogs do not list it, and copies do not contain it.
    static let table = "store_commits"

    /// Starts the counter unless the database has one. Part of every migration.
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
    /// Nil if the database has no counter: it was never migrated.
    private var watermark: CommitWatermark?
    private var lastSynchronization = ContinuousClock.now

    /// The part of the watermark that a power failure may lose.
    private static let synchronizationInterval = Duration.seconds(5)

    /// Compares the number in the database with its watermark.
    /// - Throws: `SQLError.commitsLost`, `anotherDatabase`, `cannotOpen`, `full`.
    init(of path: String, on connection: SQLiteConnection) throws(SQLError) {
        self.connection = connection
        self.path = path
        let file = CommitWatermark.path(of: path)
        // Read before the row, because another process may commit in between.
        let known = try CommitWatermark.read(file)
        guard let stored = try storedMark() else {
            // The service decides whether an empty file is a first start.
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

    /// Counts the commit that is about to end, in the same transaction.
    /// - Returns: the mark to acknowledge once the commit is durable; nil if the database has no counter.
    func next() throws(SQLError) -> CommitWatermark.Mark? {
        if watermark == nil, try storedMark() == nil { return nil }
        return try mark("UPDATE store_commits SET commits = commits + 1 WHERE id = 1 RETURNING database, commits")
    }

    /// Records a durable commit in the watermark, before any caller gets its result.
    /// - Throws: `SQLError.cannotOpen`, `full`: there is no watermark yet, and none can be created.
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

    /// - Returns: nil if the database has no counter.
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

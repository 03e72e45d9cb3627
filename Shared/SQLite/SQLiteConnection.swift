internal import CSQLite
internal import Glibc
internal import SQL

/// One open connection with its prepared statements. Not `Sendable`: it is handed to one thread, which uses and closes
/// it. A class, so that the transaction lent to a body can refer to it.
final class SQLiteConnection: SQLSession {
    private let path: String
    /// Nil once closed.
    private var handle: OpaquePointer?
    private var statements: [String: SQLiteStatement] = [:]
    private var uses: UInt64 = 0
    /// The file was not there before.
    let hasMadeFile: Bool

    /// More texts than any one service has. The bound matters only for texts that are put together at run time.
    static let maximumCachedStatements = 256
    /// How long we wait for another process to let go of the file: less than a caller waits for us.
    static let busyMilliseconds: Int32 = 3000

    /// How long a statement may take; nil for one that takes as long as it takes. One more long statement than there are
    /// connections would keep everybody waiting beyond their deadlines.
    var statementTime: Duration?
    private let clock = StatementClock()

    /// Opens a database, and makes it if the file is not there.
    init(_ location: SQLiteDatabase.Location) throws(SQLError) {
        let name: String
        switch location {
        case .memory:
            name = ":memory:"
            path = "in memory"
            hasMadeFile = true
        case .file(let file):
            hasMadeFile = try Self.create(file)
            name = file
            path = file
        }
        // No mutex: one thread at a time uses a connection. No URI: a path is a path, whatever characters it has.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // A failed open may still hand out a handle; `deinit` closes it.
        try check(sqlite3_open_v2(name, &handle, flags, nil))
        clock.watch(handle)
        try configure(location)
    }

    /// Opens the file of a backup: to fill it, and then it must not be there yet, or to read it, and then nothing about it
    /// changes. It has no journal beside it, which a live database needs for its many readers.
    init(archive path: String, isNew: Bool) throws(SQLError) {
        self.path = path
        hasMadeFile = isNew
        if isNew { _ = try Self.create(path, mustBeNew: true) }
        let flags = (isNew ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        try check(sqlite3_open_v2(path, &handle, flags, nil))
        try check(csqlite_refuse_quoted_literals(handle))
        try run("PRAGMA synchronous = FULL")
        try run("PRAGMA foreign_keys = ON")
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA cell_size_check = ON")
        forgetStatements()
    }

    deinit { close() }

    /// SQLite would make the file with the mode the umask leaves; it holds password hashes. Its journal copies our mode.
    /// - Returns: false when it is there already.
    private static func create(_ path: String, mustBeNew: Bool = false) throws(SQLError) -> Bool {
        // Exclusive: closing a descriptor of a file that is in use would drop the locks our process holds on it.
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            FolderOwner.give(descriptor, at: path)
            // Nothing was written, so nothing can be lost.
            _ = Glibc.close(descriptor)
            return true
        } else if errno == ENOSPC || errno == EDQUOT {
            throw .full
        } else if errno != EEXIST || mustBeNew {
            throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
        }
        return false
    }

    /// Removes a file that was not finished. The result is ignored: it may not have been made.
    static func remove(_ path: String) {
        for suffix in ["", "-journal"] { unlink(path + suffix) }
    }

    private func configure(_ location: SQLiteDatabase.Location) throws(SQLError) {
        try check(sqlite3_busy_timeout(handle, Self.busyMilliseconds))
        try check(csqlite_refuse_quoted_literals(handle))
        // SQLite falls back to reading when it may not write; we would rather say so at once.
        guard sqlite3_db_readonly(handle, "main") == 0 else { throw .readOnly(path: path) }
        // `FULL`: a commit returns after the journal is on the disk. The first statement reads the file's header.
        try run("PRAGMA synchronous = FULL")
        try run("PRAGMA foreign_keys = ON")
        try run("PRAGMA trusted_schema = OFF")
        let journal = try run("PRAGMA journal_mode = WAL", limit: 1)
        if case .file(let path) = location, journal.first?.values != [.text("wal")] {
            throw .cannotOpen(path: path, message: "its file system has no shared memory for the journal")
        }
        try run("PRAGMA journal_size_limit = 67108864")
        // Reads for the first time, which recovers the journal and makes the files beside the database.
        _ = try isEmpty
        forgetStatements()
    }

    /// There is no table, index or view.
    var isEmpty: Bool {
        get throws(SQLError) { try run("SELECT 1 FROM sqlite_schema", limit: 1).isEmpty }
    }

    /// Looks at the structure of every page, without comparing indices with their tables.
    /// - Throws: `SQLError.damaged`.
    func checkStructure() throws(SQLError) {
        guard try run("PRAGMA quick_check(1)").map(\.values) == [[.text("ok")]] else { throw .damaged(path: path) }
    }

    /// Closing twice is harmless.
    func close() {
        forgetStatements()
        // `v2` cannot fail: with every statement gone, it closes at once.
        sqlite3_close_v2(handle)
        handle = nil
    }

    private func forgetStatements() {
        statements.removeAll()
    }

    // MARK: Statements

    /// Runs one statement, prepared before or now.
    /// - Returns: at most `limit` rows.
    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, readOnly: Bool
    ) throws(SQLError) -> [SQLRow] {
        let statement = try prepared(sql)
        guard !readOnly || statement.isReadOnly else { throw .writeInReadOnlyTransaction }
        clock.start(statementTime)
        defer { clock.stop() }
        return try statement.run(parameters, limit: limit)
    }

    /// Runs one of our own statements, like `BEGIN`.
    @discardableResult
    func run(_ sql: String, limit: Int = .max) throws(SQLError) -> [SQLRow] {
        try run(sql, [], limit: limit, readOnly: false)
    }

    /// Runs any number of statements without parameters.
    func run(script: String) throws(SQLError) {
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    private func prepared(_ sql: String) throws(SQLError) -> SQLiteStatement {
        guard let handle else { throw .closed }
        uses += 1
        if let statement = statements[sql] {
            statement.lastUse = uses
            return statement
        }
        if statements.count >= Self.maximumCachedStatements,
            let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            statements[oldest.key] = nil
        }
        let statement = try SQLiteStatement(sql, on: handle, path: path)
        statement.lastUse = uses
        statements[sql] = statement
        return statement
    }

    // MARK: State

    /// False after a commit, and when SQLite has rolled back by itself, as it may when the disk fails.
    var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// A row refers to one that is not there, and only the commit would notice.
    var hasDeferredViolations: Bool {
        var current: Int32 = 0
        var peak: Int32 = 0
        return sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &peak, 0) == SQLITE_OK && current != 0
    }

    /// Rows changed by the last statement that inserts, updates or deletes.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Rows changed since the connection was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    var catalog: any SQLCatalog { SQLiteCatalog() }

    private func check(_ code: Int32) throws(SQLError) {
        guard code == SQLITE_OK else { throw SQLError(code: code, database: handle, path: path) }
    }
}

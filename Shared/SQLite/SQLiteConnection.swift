internal import CSQLite
import Glibc
import SQL

/// One open connection with its prepared statements. Not `Sendable`: it is passed to one thread, which uses and closes
/// it. It is a class, so that the transaction of a body can refer to it.
final class SQLiteConnection: SQLSession {
    private let path: String
    /// Nil once closed.
    private var handle: OpaquePointer?
    private var statements: [String: SQLiteStatement] = [:]
    private var uses: UInt64 = 0
    /// Whether this connection created the file.
    let hasMadeFile: Bool

    /// More than the number of texts of any service. The limit matters only for texts that are built at run time.
    static let maximumCachedStatements = 256
    /// How long a connection waits for another process to release the file: less than a caller waits.
    static let busyMilliseconds: Int32 = 3000

    /// The maximum time of a statement; nil for no limit. If more long statements ran than there are connections, all
    /// other callers would wait beyond their deadlines.
    var statementTime: Duration?
    private let clock = StatementClock()
    /// Nil unless this connection copies the journal. Freed behind the connection, which writes it.
    private var journalLength: UnsafeMutablePointer<Int32>?

    /// A setting of the whole library. Without it connections only take more memory, so the result is ignored.
    private static let allocatesSinglePages: Void = { _ = csqlite_allocate_single_pages() }()

    /// Opens a database.
    /// - Parameter createsFile: if it is missing.
    init(_ location: SQLiteDatabase.Location, createsFile: Bool = true) throws(SQLError) {
        Self.allocatesSinglePages
        let name: String
        switch location {
        case .memory:
            name = ":memory:"
            path = "in memory"
            hasMadeFile = true
        case .file(let file):
            hasMadeFile = createsFile ? try Self.create(file) : false
            name = file
            path = file
        }
        // No mutex: one thread at a time uses a connection. No URI: a path may contain any character.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // A failed open may still return a handle; `deinit` closes it.
        try check(sqlite3_open_v2(name, &handle, flags, nil))
        clock.watch(handle)
        try configure(location)
    }

    /// What is done with the file of a backup.
    enum ArchiveUse {
        /// It must not exist yet.
        case new
        case change
        case read
    }

    /// Opens the file of a backup. It has no journal beside it, which only a live database with concurrent readers needs.
    init(archive path: String, for use: ArchiveUse) throws(SQLError) {
        self.path = path
        let access: Int32
        switch use {
        case .new:
            _ = try Self.create(path, mustBeNew: true)
            (hasMadeFile, access) = (true, SQLITE_OPEN_READWRITE)
        case .change: (hasMadeFile, access) = (false, SQLITE_OPEN_READWRITE)
        case .read: (hasMadeFile, access) = (false, SQLITE_OPEN_READONLY)
        }
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        try check(sqlite3_open_v2(path, &handle, flags, nil))
        try check(csqlite_refuse_quoted_literals(handle))
        try run("PRAGMA synchronous = FULL")
        try run("PRAGMA foreign_keys = ON")
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA cell_size_check = ON")
        // Rows arrive in no order of the indexes. It is a process of its own, which soon ends.
        try keepPages(bytes: 64 << 20)
        forgetStatements()
    }

    deinit { close() }

    /// Creates the file with mode 0600, because it will contain password hashes; SQLite would use the mode of the
    /// umask. The journal gets the same mode.
    /// - Returns: false if it already exists.
    static func create(_ path: String, mustBeNew: Bool = false) throws(SQLError) -> Bool {
        // Exclusive: closing a descriptor of a file in use would release the locks that this process holds on it.
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

    /// Removes an unfinished file. The result is ignored: the file may not exist.
    static func remove(_ path: String) {
        for suffix in ["", "-journal"] { unlink(path + suffix) }
    }

    private func configure(_ location: SQLiteDatabase.Location) throws(SQLError) {
        try check(sqlite3_busy_timeout(handle, Self.busyMilliseconds))
        try check(csqlite_refuse_quoted_literals(handle))
        // Without write permission SQLite falls back to reading; this is reported at once.
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
        // What a savepoint needs to be undone: in a file, it would lie outside the data directory, and each longer
        // transaction would create one.
        try run("PRAGMA temp_store = MEMORY")
        // The first read recovers the journal and creates the files beside the database.
        _ = try isEmpty
        forgetStatements()
    }

    /// A statement that must wait for another process throws `busy` at once.
    func refuseToWait() throws(SQLError) {
        try check(sqlite3_busy_timeout(handle, 0))
    }

    /// Whether there is no table, index or view.
    var isEmpty: Bool {
        get throws(SQLError) { try run("SELECT 1 FROM sqlite_schema", limit: 1).isEmpty }
    }

    /// Checks the structure of every page, without comparing indexes with their tables.
    /// - Throws: `SQLError.damaged`.
    func checkStructure() throws(SQLError) {
        guard try run("PRAGMA quick_check(1)").map(\.values) == [[.text("ok")]] else { throw .damaged(path: path) }
    }

    /// May be called twice.
    func close() {
        forgetStatements()
        // `v2` cannot fail: without statements it closes at once.
        sqlite3_close_v2(handle)
        handle = nil
        journalLength?.deallocate()
        journalLength = nil
    }

    private func forgetStatements() {
        statements.removeAll()
    }

    /// Sets how much memory its pages may take.
    func keepPages(bytes: Int) throws(SQLError) {
        try run("PRAGMA cache_size = -\(bytes / 1024)")
    }

    // MARK: The journal

    /// From now on `copyJournal` copies the journal into the file, and no commit does.
    func takeOverJournal() {
        guard journalLength == nil, let handle else { return }
        let length = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        length.initialize(to: 0)
        journalLength = length
        sqlite3_wal_hook(
            handle,
            { length, _, _, pages in
                length?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, length)
    }

    /// The pages in the journal after the last commit of this connection, since it has taken over the journal.
    var journalPages: Int { journalLength.map { Int($0.pointee) } ?? 0 }

    /// Copies the journal into the file, as far as no reader needs the former pages. It waits for no other connection.
    func copyJournal() {
        // As SQLite does, the result is ignored: the journal has the pages, and the next copy continues. The log has the error.
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Frees the pages that it keeps in memory. The next statements read theirs again.
    func releaseMemory() {
        // It cannot fail.
        sqlite3_db_release_memory(handle)
    }

    // MARK: Statements

    /// Runs one statement, and prepares it if necessary.
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

    /// Runs one of the engine's own statements, for example `BEGIN`.
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

    /// False after a commit, and after SQLite has rolled back by itself, as it may when the disk fails.
    var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Whether a row references a missing one, which only the commit would detect.
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

import Blocking
import Contracts
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import Storage

/// `latchkey restore`: replaces the data of the services by the content of a backup, while the mesh runs.
///
/// The new content of each service is made beside the old one, and takes its place at the end (`DatabaseReplacement`):
/// a reader sees the old rows or the new ones. Processes that cache old rows detect this at their next transaction and
/// restart (`FencedDatabase`).
struct Restore: Sendable {
    /// The result for one service.
    struct Outcome: Encodable, Equatable, Sendable {
        var service: ServiceName
        var engine: String
        /// The database, without a password.
        var place: String
        var rows: Int
        var backupSchema: Int
        /// The schema version. It is the same or higher: the rows of an older backup are migrated.
        var schema: Int
        /// Values that contained U+0000.
        var replacements: [NullCharacters.Replacement]
    }

    let stores: [StorageSettings]
    let keys: [MasterKey]
    /// For messages: where the master keys are configured.
    let keySource: String
    let dataDirectory: String
    var progress: CopyProgress?
    private let pool = BlockingPool(label: "restore", threads: 1, maximumWaiting: 1)

    /// Restores the databases in the reverse order of the backup. After an error in one of them, the same command
    /// completes the rest.
    /// - Parameter replaces: whether existing rows may be deleted.
    /// - Throws: `BackupError`. Nothing is changed if the error concerns the backup. If it concerns the database of one
    ///   service, the databases before it are restored and those after it are not.
    func run(from path: String, replaces: Bool) async throws -> [Outcome] {
        let lock = try await pool.run { [dataDirectory] in try RestoreLock(dataDirectory) }
        defer { withExtendedLifetime(lock) {} }
        let folder = try await pool.run { [keys, keySource, progress] in
            let folder = try BackupReader(path, keys: keys, place: keySource)
            try folder.verify(progress)
            return folder
        }
        var targets: [RestoreTarget] = []
        let connection = CommandConnection()
        do {
            for entry in folder.manifest.services {
                // Every service that owns data has a store.
                guard let store = stores.first(where: { $0.service == entry.service }) else {
                    throw BackupError.notABackup(path, reason: "\(entry.service.rawValue) keeps no data")
                }
                targets.append(
                    try await BackupError.named(entry.service) {
                        try await RestoreTarget(
                            entry, folder.file(entry), store, connection, pool)
                    })
            }
            let nonEmpty = targets.filter(\.hasRows).map(\.service)
            guard replaces || nonEmpty.isEmpty else { throw BackupError.holdsData(nonEmpty) }
            // Identity last, so that its rows always refer to rows that exist in the other databases.
            var outcomes: [Outcome] = []
            defer { progress?.finish() }
            for target in targets.reversed() {
                outcomes.append(
                    try await BackupError.named(target.service) { try await target.restore(replaces, progress) })
            }
            for target in targets { await target.close() }
            return outcomes.reversed()
        } catch {
            for target in targets { await target.close() }
            throw error
        }
    }
}

/// The database of one service, with the data to restore into it.
private struct RestoreTarget: Sendable {
    let service: ServiceName
    let hasRows: Bool
    private let engine: String
    private let place: String
    private let database: any SQLDatabase
    private let file: String
    private let counts: [String: Int]
    private let backup: SchemaHistory
    /// Nil for an empty database.
    private let known: SchemaHistory?
    /// The time of the database that is replaced: its processes trust the time.
    private let trustedTime: Int64?
    /// The file in which the new content is made.
    private let draft: String
    private let replacement: DatabaseReplacement
    private let pool: BlockingPool

    /// Reads and checks the database without changing it.
    /// - Throws: `BackupError`, `SQLError`, `DatabaseCopyError`.
    init(
        _ entry: BackupManifest.Entry, _ file: String, _ store: StorageSettings, _ connection: CommandConnection,
        _ pool: BlockingPool
    ) async throws {
        guard let database = try await store.openForCopying(createIfMissing: true, through: connection) else {
            preconditionFailure("it is made when it is not there")
        }
        do {
            (known, hasRows, trustedTime) = try await database.read { transaction in
                let tables = try transaction.tables()
                let hasRows = try DatabaseCopy(tables).hasRows(transaction)
                let known = try SchemaHistory(of: transaction, tables: tables)
                return (known, hasRows, known == nil ? nil : try transaction.trustedTime())
            }
            let backup = try await pool.run {
                try SQLiteArchive.read(file) { archive in
                    try SchemaHistory(of: archive, tables: archive.tables())
                }
            }
            guard let backup, backup.version == entry.schemaVersion else { throw SQLError.damaged(path: file) }
            if let incompatibility = known?.incompatibility(with: backup, of: entry.service) { throw incompatibility }
            self.backup = backup
        } catch {
            await database.close()
            throw error
        }
        service = entry.service
        engine = store.engineName
        place = store.location.description
        self.database = database
        self.file = file
        counts = entry.rows
        draft = DatabaseReplacement.draft(of: store)
        replacement = DatabaseReplacement(of: store, through: connection, pool)
        self.pool = pool
    }

    func close() async {
        await database.close()
    }

    func restore(_ replaces: Bool, _ progress: CopyProgress?) async throws -> Restore.Outcome {
        // Tables without rows count as empty, and an empty database gets the schema of the backup.
        let schema = known ?? backup
        progress?.begin(service, total: counts.values.reduce(0, +))
        defer { SQLiteArchive.remove(draft) }
        progress?.enter("making the new content")
        let (rows, replacements) = try await pool.run { try makeDraft(schema) }
        progress?.enter(nil)
        try await replacement.run(on: database, schema.migrations) { [service, known] target in
            let tables = try target.tables()
            guard try SchemaHistory(of: target, tables: tables) == known else {
                throw BackupError.schemaChanged(service)
            }
            // A service may have inserted rows since the check.
            if !replaces, try DatabaseCopy(tables).hasRows(target) { throw BackupError.holdsData([service]) }
        } rowCopied: {
            progress?.countRow()
        } indexesBegin: {
            progress?.enter(CopyProgress.indexes)
        }
        progress?.finish()
        return Restore.Outcome(
            service: service, engine: engine, place: place, rows: rows, backupSchema: backup.version,
            schema: schema.version, replacements: replacements)
    }

    /// Makes the new content in a file: the rows of the backup in the current schema. So running processes never see
    /// tables of another schema version.
    /// - Returns: the number of rows.
    private func makeDraft(_ schema: SchemaHistory) throws -> (Int, [NullCharacters.Replacement]) {
        SQLiteArchive.remove(draft)
        try SQLiteArchive.duplicate(file, to: draft)
        return try SQLiteArchive.change(draft) { database in
            guard try DatabaseCopy(database.tables()).countRows(database) == counts else {
                throw SQLError.damaged(path: file)
            }
            try database.apply(schema.migrations)
            let tables = try database.tables()
            let replacements = try NullCharacters.replace(in: database, tables)
            try database.beginEpoch()
            try database.setTrustedTime(trustedTime)
            return (try DatabaseCopy(tables).countRows(database).values.reduce(0, +), replacements)
        }
    }
}

internal import Blocking
internal import Contracts
internal import MasterKey
internal import SQL
internal import SQLite
internal import ServiceRuntime
internal import Storage

/// `latchkey restore`: replaces the data of the services by the content of a backup, while the mesh runs.
///
/// The database of each service changes in one transaction: a reader sees the old rows or the new ones. Processes that
/// cache old rows detect this at their next transaction and restart (`FencedDatabase`).
struct Restore: Sendable {
    /// The result for one service.
    struct Outcome: Equatable, Sendable {
        var service: ServiceName
        var engine: String
        /// The database, without a password.
        var place: String
        var rows: Int
        var backupSchema: Int
        /// The schema version. It is the same or higher: the rows of an older backup are migrated.
        var schema: Int
    }

    let stores: [StorageSettings]
    let keys: [MasterKey]
    /// For messages: where the master keys are configured.
    let keySource: String
    let dataDirectory: String

    private let progress: CopyProgress?
    private let pool = BlockingPool(label: "restore", threads: 1, maximumWaiting: 1)

    init(
        _ stores: [StorageSettings], keys: [MasterKey], keySource: String, dataDirectory: String,
        progress: CopyProgress? = nil
    ) {
        self.stores = stores
        self.keys = keys
        self.keySource = keySource
        self.dataDirectory = dataDirectory
        self.progress = progress
    }

    /// The temporary file in which an older backup is migrated. It is removed afterwards.
    static func temporaryPath(for service: ServiceName, in dataDirectory: String) -> String {
        "\(dataDirectory)/restore-\(service.rawValue).sqlite"
    }

    /// Restores the databases in the reverse order of the backup. After an error in one of them, the same command
    /// completes the rest.
    /// - Parameter replaces: whether existing rows may be deleted.
    /// - Throws: `BackupError`. Nothing is changed if the error concerns the backup. If it concerns the database of one
    ///   service, the databases before it are restored and those after it are not.
    func run(from path: String, replaces: Bool) async throws -> [Outcome] {
        let lock = try await pool.run { [dataDirectory] in try RestoreLock(dataDirectory) }
        defer { withExtendedLifetime(lock) {} }
        let folder = try await pool.run { [keys, keySource] in
            let folder = try BackupReader(path, keys: keys, place: keySource)
            try folder.verify()
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
                            entry, folder.file(entry), store, scratchIn: dataDirectory, connection, pool)
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
    private let temporaryFile: String
    private let pool: BlockingPool

    /// Reads and checks the database without changing it.
    /// - Throws: `BackupError`, `SQLError`, `DatabaseCopyError`.
    init(
        _ entry: BackupManifest.Entry, _ file: String, _ store: StorageSettings, scratchIn dataDirectory: String,
        _ connection: CommandConnection, _ pool: BlockingPool
    ) async throws {
        guard let database = try await store.openForCopying(createIfMissing: true, through: connection) else {
            preconditionFailure("it is made when it is not there")
        }
        do {
            (known, hasRows) = try await database.read { transaction in
                let tables = try transaction.tables()
                let hasRows = try DatabaseCopy(tables).hasRows(transaction)
                return (try SchemaHistory(of: transaction, tables: tables), hasRows)
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
        temporaryFile = Restore.temporaryPath(for: entry.service, in: dataDirectory)
        self.pool = pool
    }

    func close() async {
        await database.close()
    }

    func restore(_ replaces: Bool, _ progress: CopyProgress?) async throws -> Restore.Outcome {
        let schema: SchemaHistory
        if let known {
            schema = known
        } else {
            // Tables without rows count as empty, so a failure after this leaves the database as it was.
            try await database.migrate(backup.migrations)
            schema = backup
        }
        let isOlder = schema.version > backup.version
        if isOlder { try await pool.run { try makeScratch(schema) } }
        defer { if isOlder { FileSystem.remove(temporaryFile) } }
        let rows = try await database.write { target in
            // The engine may run this transaction again.
            progress?.begin(service, total: counts.values.reduce(0, +))
            return try replaceRows(of: target, from: isOlder ? temporaryFile : file, schema, replaces, progress)
        }
        progress?.finish()
        return Restore.Outcome(
            service: service, engine: engine, place: place, rows: rows, backupSchema: backup.version,
            schema: schema.version)
    }

    /// Migrates an older backup to the current schema in a separate file, so that running processes never see tables of
    /// another schema version.
    private func makeScratch(_ schema: SchemaHistory) throws {
        FileSystem.remove(temporaryFile)
        try SQLiteArchive.make(temporaryFile) { target in
            try target.apply(backup.migrations)
            try SQLiteArchive.read(file) { source in
                let copy = try DatabaseCopy(source.tables())
                try copy.deleteAllRows(target)
                _ = try copy.run(from: source, to: target)
            }
            try target.apply(schema.migrations)
        }
    }

    /// - Returns: the number of rows after the restore.
    private func replaceRows(
        of target: borrowing SQLTransaction, from source: String, _ schema: SchemaHistory, _ replaces: Bool,
        _ progress: CopyProgress?
    ) throws -> Int {
        try SQLiteArchive.read(source) { source in
            let copy = try DatabaseCopy(source.tables())
            try target.catalog.lockTables(
                target, of: copy.tableNames + [SQLTransaction.epochTable, SQLTransaction.migrationsTable])
            guard try SchemaHistory(of: target, tables: target.tables()) == schema else {
                throw BackupError.schemaChanged(service)
            }
            // A service may have inserted rows since the check.
            if !replaces, try copy.hasRows(target) { throw BackupError.holdsData([service]) }
            if hasRows { progress?.enter("deleting those before", isShownAtOnce: true) }
            try copy.deleteAllRows(target)
            progress?.enter(nil)
            let copied = try copy.run(from: source, to: target) { _, _ in progress?.countRow() }
            progress?.enter("committing")
            guard schema.version > backup.version || copied == counts else { throw SQLError.damaged(path: file) }
            try target.beginEpoch()
            return copied.values.reduce(0, +)
        }
    }
}

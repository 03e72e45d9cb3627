import Blocking
import Contracts
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import Storage
import Vocabulary

/// `latchkey backup`: copies the database of every service while the mesh runs.
///
/// Each copy is one snapshot. The snapshots of two services are taken at different times, so their order matters:
/// identity comes first, then the services with records that identity's rows refer to. A factor that is enrolled in
/// between is then a secret without a reference, which does no harm. In the other order it would be a second factor
/// without its secret, and its user could not sign in. (A factor that is removed in between comes back without its
/// secret: an administrator removes it.)
struct Backup: Sendable {
    /// For the help of `backup` and `restore`.
    static let discussion = """
        The command finds the databases by the variables that the services read: LATCHKEY_DATA, LATCHKEY_DATABASE_URL and \
        LATCHKEY_<SERVICE>_DATABASE_URL. A backup fits into either engine. The master key is in no backup: keep a copy of \
        it elsewhere.
        """

    /// Backed up in this order.
    let stores: [StorageSettings]
    /// The current key first: it authenticates the manifest.
    let keys: [MasterKey]
    let now: @Sendable () -> Moment
    private let progress: CopyProgress?

    private let pool = BlockingPool(label: "backup", threads: 1, maximumWaiting: 1)

    init(
        _ stores: [StorageSettings], keys: [MasterKey], now: @escaping @Sendable () -> Moment = WallClock.now,
        progress: CopyProgress? = nil
    ) {
        precondition(!keys.isEmpty, "a ring has a key")
        self.stores = stores
        self.keys = keys
        self.now = now
        self.progress = progress
    }

    /// Makes a backup. The complete backup is on the disk when this method returns; no part of it remains when it
    /// throws.
    /// - Parameter dataDirectory: for error messages.
    /// - Throws: `BackupError`; `UnvisitedDatabases` if the settings omit a database that a marker file records.
    func make(at destination: String, dataDirectory: String) async throws -> BackupManifest {
        let draft = try await pool.run { try BackupWriter(for: destination) }
        do {
            var manifest = BackupManifest(
                format: BackupManifest.currentFormat, program: Program.version, madeAt: now().text, services: [])
            var unvisited: [UnvisitedDatabase] = []
            for store in stores {
                let entry = try await copy(store, into: draft)
                if let entry { manifest.services.append(entry) }
                if let missed = store.unvisitedDatabase(isFound: entry != nil) { unvisited.append(missed) }
            }
            try UnvisitedDatabases.requireNone(unvisited)
            guard !manifest.services.isEmpty else {
                throw BackupError.nothingToBackUp(dataDirectory: dataDirectory)
            }
            return try await pool.run { [manifest, key = keys[0]] in
                try draft.finish(manifest, sealedWith: key)
                return manifest
            }
        } catch {
            // `try?`: the first error is the one to report.
            try? await pool.run { draft.discard() }
            // The error names the backup as a whole: its files share the space.
            if case BackupError.full = error { throw BackupError.full(destination) }
            throw error
        }
    }

    /// - Returns: nil for a service that has no data yet.
    private func copy(_ store: StorageSettings, into draft: BackupWriter) async throws -> BackupManifest.Entry? {
        let name = "\(store.service.rawValue).sqlite"
        let file = draft.file(name)
        let currentKey = keys[0]
        let content = try await BackupError.named(store.service) {
            guard let database = try await store.openForCopying(createIfMissing: false) else {
                return BackupContent?.none
            }
            do {
                let content: BackupContent?
                switch store.location {
                case .sqlite(let path):
                    progress?.begin(store.service, total: 0)
                    progress?.enter("copying the file", isShownAtOnce: true)
                    let isMigrated = try await database.hasTables()
                    content = try await pool.run {
                        guard isMigrated else { return nil }
                        try SQLiteArchive.copy(path, to: file)
                        return try SQLiteArchive.read(file) { try BackupContent(of: $0, currentKey: currentKey) }
                    }
                case .postgres:
                    let isMigrated = try await database.read { [progress] source in
                        try Self.copyRows(of: source, into: file) { copy in
                            progress?.begin(store.service, total: try copy.countRows(source).values.reduce(0, +))
                        } countRow: {
                            progress?.countRow()
                        } indexesBegin: {
                            progress?.enter(CopyProgress.indexes)
                        }
                    }
                    progress?.enter("reading them back")
                    content = try await pool.run {
                        guard isMigrated else { return nil }
                        return try SQLiteArchive.read(file) { try BackupContent(of: $0, currentKey: currentKey) }
                    }
                }
                await database.close()
                return content
            } catch {
                await database.close()
                progress?.finish()
                // Missing space concerns the backup, not the source database: a reader needs no space.
                throw error as? SQLError == .full ? BackupError.full(file) : error
            }
        }
        defer { progress?.finish() }
        guard let content else { return nil }
        guard let digest = try await pool.run({ FileSystem.digest(of: file) }) else {
            throw BackupError.unwritable(file, reason: "it cannot be read back")
        }
        return BackupManifest.Entry(
            service: store.service, file: name, bytes: digest.bytes, sha256: digest.sha256, engine: store.engineName,
            schemaVersion: content.schemaVersion, rows: content.rows, masterKeys: content.masterKeys.sorted())
    }

    /// Copies one snapshot into a new file, row by row.
    /// - Returns: false, and creates no file, if the database was never migrated.
    /// - Parameters:
    ///   - begin: receives the copy before the first row.
    ///   - countRow: called for each row.
    ///   - indexesBegin: called after the last of them.
    private static func copyRows(
        of source: borrowing SQLTransaction, into file: String, begin: (DatabaseCopy) throws -> Void,
        countRow: () -> Void, indexesBegin: () -> Void
    ) throws -> Bool {
        let tables = try source.tables()
        guard let migrations = try SchemaHistory(of: source, tables: tables)?.migrations else { return false }
        let copy = try DatabaseCopy(tables)
        try begin(copy)
        // An earlier attempt of this transaction may have created it before the connection failed.
        SQLiteArchive.remove(file)
        try SQLiteArchive.make(file) { archive in
            try archive.apply(migrations)
            // A migration may have inserted rows; the snapshot contains their current state.
            try copy.deleteAllRows(archive)
            _ = try copy.run(
                from: source, to: archive, rowCopied: { _, _ in countRow() }, indexesBegin: indexesBegin)
        }
        return true
    }
}

/// What the copy of one database contains.
private struct BackupContent: Sendable {
    let schemaVersion: Int
    let rows: [String: Int]
    let masterKeys: Set<String>

    init(of archive: borrowing SQLTransaction, currentKey: MasterKey) throws {
        let tables = try archive.tables()
        let copy = try DatabaseCopy(tables)
        schemaVersion = try SchemaHistory(of: archive, tables: tables)?.version ?? 0
        rows = try copy.countRows(archive)
        masterKeys = try MasterKeyReferences.ids(in: archive, tables, current: currentKey)
    }
}

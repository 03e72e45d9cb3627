internal import Blocking
internal import Contracts
internal import MasterKey
internal import SQL
internal import SQLite
internal import ServiceRuntime
internal import Storage
internal import Vocabulary

/// `latchkey backup`: copies every service's database while the mesh works.
///
/// Each copy is one snapshot. The snapshots of two services are not of the same moment, so their order matters:
/// identity comes first, then those whose records identity's rows refer to. What somebody enrols in between is then a
/// secret that nobody refers to, which does no harm; the other way round it would be a second factor without its
/// secret, which locks its owner out. (Who removes a factor in just that time gets it back, without its secret: an
/// administrator removes it.)
struct Backup: Sendable {
    /// In this order.
    let stores: [StorageSettings]
    /// The current one first: it seals the manifest.
    let keys: [MasterKey]
    let now: @Sendable () -> Moment
    private let progress: CopyProgress?

    private let pool = BlockingPool(label: "backup", threads: 1, waiting: 1)

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

    /// Makes a backup: all of it is on the disk when this returns, and nothing is left of it when this throws.
    /// - Parameter dataDirectory: for sentences.
    /// - Throws: `BackupError`; `UnvisitedDatabases` when the settings leave out data that a note tells of.
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
            try UnvisitedDatabases.refuse(unvisited)
            guard !manifest.services.isEmpty else {
                throw BackupError.nothingToBackUp(dataDirectory: dataDirectory)
            }
            return try await pool.run { [manifest, key = keys[0]] in
                try draft.finish(manifest, sealedWith: key)
                return manifest
            }
        } catch {
            // `try?`: the first failure is the one to tell.
            try? await pool.run { draft.discard() }
            // The same room for its manifest, its databases, and the folder itself.
            if case BackupError.full = error { throw BackupError.full(destination) }
            throw error
        }
    }

    /// - Returns: nil for a service that has not begun to keep anything.
    private func copy(_ store: StorageSettings, into draft: BackupWriter) async throws -> BackupManifest.Entry? {
        let name = "\(store.service.rawValue).sqlite"
        let file = draft.file(name)
        let currentKey = keys[0]
        let content = try await BackupError.named(store.service) {
            guard let database = try await store.openForCopying(makes: false) else { return BackupContent?.none }
            do {
                let content = try await database.read { [progress] source in
                    try BackupContent(of: source, into: file, currentKey: currentKey) { copy in
                        try progress?.begin(store.service, total: copy.countRows(source))
                    } countRow: {
                        progress?.countRow()
                    }
                }
                progress?.finish()
                await database.close()
                return content
            } catch {
                await database.close()
                progress?.finish()
                // That there is no room concerns the backup, not the database it is made of: a reader needs none.
                throw error as? SQLError == .full ? BackupError.full(file) : error
            }
        }
        guard let content else { return nil }
        guard let digest = try await pool.run({ FileSystem.digest(of: file) }) else {
            throw BackupError.unwritable(file, reason: "it cannot be read back")
        }
        return BackupManifest.Entry(
            service: store.service, file: name, bytes: digest.bytes, sha256: digest.sha256, engine: store.engineName,
            schemaVersion: content.schemaVersion, rows: content.rows, masterKeys: content.masterKeys.sorted())
    }
}

/// The copy of one database, as far as it can tell what is in it.
private struct BackupContent: Sendable {
    let schemaVersion: Int
    let rows: [String: Int]
    let masterKeys: Set<String>

    /// Copies one snapshot into a new file.
    /// - Returns: nil, and makes no file, when the database was never migrated.
    /// - Parameters:
    ///   - begin: is told what will be copied.
    ///   - countRow: is told of each row.
    init?(
        of source: borrowing SQLTransaction, into file: String, currentKey: MasterKey,
        begin: (DatabaseCopy) throws -> Void, countRow: () -> Void
    ) throws {
        let tables = try source.tables()
        guard let migrations = try SchemaHistory(of: source, tables: tables)?.migrations else { return nil }
        let copy = try DatabaseCopy(tables)
        try begin(copy)
        // The engine may have run this before and lost its server at the end.
        FileSystem.remove(file)
        (rows, masterKeys) = try SQLiteArchive.make(file) { archive in
            try archive.apply(migrations)
            // A migration may have brought rows along; the snapshot has what became of them.
            try copy.deleteAllRows(archive)
            var keys: Set<String> = []
            let rows = try copy.run(from: source, to: archive) { table, row in
                countRow()
                keys.formUnion(MasterKeyReferences.ids(in: row, of: table, current: currentKey))
            }
            return (rows, keys)
        }
        schemaVersion = migrations.count
    }
}

import Contracts
import MasterKey
import SQL
import ServiceRuntime
import Storage

/// The database of one service, with its sealed records.
struct SealedDatabase: Sendable {
    let service: ServiceName
    /// Without a password.
    let place: String
    let records: SealedRecords
    fileprivate let database: any SQLDatabase

    func close() async { await database.close() }
}

/// The databases of all services that the command found.
struct SealedDatabases: Sendable {
    /// The databases of services with declared sealed columns.
    private(set) var found: [SealedDatabase] = []
    /// A line for each other service: why it has no sealed records.
    private(set) var others: [String] = []
    /// Databases that exist according to the marker files in the data directory, but were not found.
    private(set) var unvisited: [UnvisitedDatabase] = []

    /// Opens and checks the databases without changing them.
    /// - Throws: `KeysCommandError.undeclared`, `SQLError`.
    init(in stores: [StorageSettings], keys: ReloadingMasterKeyRing) async throws {
        let connection = CommandConnection()
        do {
            for store in stores { try await visit(store, keys, connection) }
        } catch {
            await close()
            throw error
        }
    }

    private mutating func visit(
        _ store: StorageSettings, _ keys: ReloadingMasterKeyRing, _ connection: CommandConnection
    ) async throws {
        let service = store.service
        guard let database = try await store.openForCopying(createIfMissing: false, through: connection) else {
            noted(store, isFound: false, otherwise: "\(service.rawValue): no database in \(store.location).")
            return
        }
        do {
            if let records = try await SealedRecords.declared(in: database, keys: SealingKeys(keys, of: service)) {
                _ = try await records.announcements()  // The ring of the command is that of the processes.
                found.append(
                    SealedDatabase(
                        service: service, place: store.location.description, records: records, database: database))
                noted(store, isFound: true, otherwise: nil)
                return
            }
            let hasTables = try await database.hasTables()
            noted(
                store, isFound: hasTables,
                otherwise: hasTables
                    ? "\(service.rawValue): nothing sealed in \(store.location)."
                    : "\(service.rawValue): no tables in \(store.location).")
            await database.close()
        } catch let fault as SealedRecordsError {
            await database.close()
            throw KeysCommandError.undeclared(service, fault)
        } catch {
            await database.close()
            throw error
        }
    }

    private mutating func noted(_ store: StorageSettings, isFound: Bool, otherwise line: String?) {
        if let missed = store.unvisitedDatabase(isFound: isFound) {
            unvisited.append(missed)
        } else if let line {
            others.append(line)
        }
    }

    /// - Throws: `UnvisitedDatabases`; `KeysCommandError.nothingSealed` if no service has sealed records.
    func requireAll(dataDirectory: String) throws {
        try UnvisitedDatabases.requireNone(unvisited)
        guard !found.isEmpty else { throw KeysCommandError.nothingSealed(dataDirectory) }
    }

    func close() async {
        for database in found { await database.close() }
    }
}

/// A command would omit databases that a marker file in the data directory records.
struct UnvisitedDatabases: ExitError, Equatable {
    let databases: [UnvisitedDatabase]

    /// Throws unless the list is empty.
    static func requireNone(_ databases: [UnvisitedDatabase]) throws(UnvisitedDatabases) {
        guard databases.isEmpty else { throw UnvisitedDatabases(databases: databases) }
    }

    var exitCode: Int32 { ExitCode.settings }

    var messages: [String] { databases.map(\.sentence) }
}

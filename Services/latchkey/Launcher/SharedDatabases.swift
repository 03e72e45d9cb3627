import Contracts
import SQL
import ServiceRuntime
import Storage

/// The databases on servers that a mesh shares with other machines. A machine without a key file asks them before it
/// creates a key.
struct SharedDatabases: Sendable {
    let stores: [StorageSettings]
    let log: Log
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(4)

    /// The databases that have tables of a service already. It waits for a server that is unavailable: without its answer
    /// no key may be created.
    /// - Throws: `LauncherError.refused` for errors that the operator must correct, as the service itself reports them.
    func inUse() async throws -> [String] {
        let connection = CommandConnection()
        var found: [String] = []
        for store in stores {
            guard case .postgres = store.location else { continue }
            if try await hasTables(store, connection) {
                found.append("the database of \(store.service.rawValue) in \(store.location)")
            }
        }
        return found
    }

    private func hasTables(_ store: StorageSettings, _ connection: CommandConnection) async throws -> Bool {
        var pause = Self.firstPause
        while true {
            do {
                guard let database = try await store.openForCopying(createIfMissing: false, through: connection) else {
                    return false
                }
                do {
                    let hasTables = try await database.hasTables()
                    await database.close()
                    return hasTables
                } catch {
                    await database.close()
                    throw error
                }
            } catch let error as SQLError where error.isPermanent {
                let fault = StorageError.unusable(error, store.location, setting: store.settingName)
                throw LauncherError.refused(
                    instance: store.service.rawValue,
                    sentences: fault.messages.map { "\(store.service.rawValue): \($0)" })
            } catch let error as SQLError where error.serviceError != nil {
                log.error(
                    .databaseConnectFailed,
                    [
                        "setting": .public(store.settingName), "place": .public(store.location.description),
                        "reason": .public(error.reason), "nextTryIn": .public(pause),
                    ])
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }
}

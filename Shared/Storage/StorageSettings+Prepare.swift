import Contracts
import Crypto
import Glibc
package import SQL
import SQLite
package import ServiceRuntime

extension StorageSettings {
    /// Opens the database of a starting service, and runs its first steps. It waits for an unavailable server and logs
    /// each attempt: machines that boot together depend on each other, and a process that exits would need a manual
    /// start.
    /// - Parameters:
    ///   - masterKeyFile: the source of the master keys, for the error message if sealed columns do not open.
    ///   - pause: waits between two attempts; throws when the process must stop.
    ///   - untilLate: see `StartDelay.watch`.
    ///   - body: migrates and reads. After a lost connection it runs again from the beginning.
    /// - Throws: `StorageError` for errors that the operator must correct, and all other errors unchanged.
    package func prepare<Store: Sendable>(
        masterKeyFile: String, log: Log,
        pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        untilLate: (@Sendable () async throws -> Void)? = nil,
        _ body: @Sendable (FencedDatabase) async throws -> Store
    ) async throws -> Store {
        SQLiteLog.install(log.report)
        return try await StartDelay.watch(log: log, untilLate: untilLate) { delay in
            try await prepare(masterKeyFile: masterKeyFile, log: log, pause: pause, delay, body)
        }
    }

    private func prepare<Store: Sendable>(
        masterKeyFile: String, log: Log, pause: @Sendable (Duration) async throws -> Void, _ delay: StartDelay,
        _ body: @Sendable (FencedDatabase) async throws -> Store
    ) async throws -> Store {
        var pauses = Self.firstPause
        while true {
            do {
                return try await attempt(log, delay, body)
            } catch let error as SQLError where error.isPermanent && !location.mayAcceptWrites(after: error) {
                throw StorageError.unusable(error, location, setting: settingName)
            } catch CryptoError.authenticationFailed {
                throw StorageError.wrongMasterKey(file: masterKeyFile, location, setting: settingName)
            } catch let error as SQLError where error.serviceError != nil {
                log.error(
                    .databaseConnectFailed,
                    [
                        "setting": .public(settingName), "place": .public(location.description),
                        "reason": .public(error.reason), "nextTryIn": .public(pauses),
                    ])
                delay.awaits("a database that is not available")
                try await pause(pauses)
                pauses = min(pauses * 2, Self.longestPause)
            }
        }
    }

    /// Whether no process with this data directory has created the tables yet.
    package var isFirstStart: Bool { !DatabaseMarker(of: self).exists }

    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(4)

    private func attempt<Store: Sendable>(
        _ log: Log, _ delay: StartDelay, _ body: @Sendable (FencedDatabase) async throws -> Store
    ) async throws -> Store {
        let note = DatabaseMarker(of: self)
        let lost = StorageError.lost(location, setting: settingName, note: note.path)
        // Before SQLite creates an empty file there.
        if case .sqlite(let path) = location, note.exists, access(path, F_OK) != 0 { throw lost }
        delay.awaits("the database to open: a SQLite file is checked, and others may hold its lock")
        let database = FencedDatabase(try await open(isChecked: true))
        delay.awaits("the migrations and first reads of the database, which other processes may write")
        do {
            if note.exists, try await database.isEmpty { throw lost }
            let store = try await body(database)
            try note.write(location)
            if let (former, current) = database.migration {
                log.info(
                    .databaseMigrated,
                    ["service": .public(service.rawValue), "from": .public(former), "to": .public(current)])
            }
            return store
        } catch {
            await database.close()
            throw error
        }
    }
}

extension StorageSettings.Location {
    /// Whether a server that accepts no writes now may do so later, or another one in its place: it is a standby.
    fileprivate func mayAcceptWrites(after error: SQLError) -> Bool {
        if case .postgres = self, case .readOnly = error { true } else { false }
    }
}

extension SQLDatabase {
    /// Whether no migration was ever applied here.
    fileprivate var isEmpty: Bool {
        get async throws { try await !hasTables() }
    }

    /// Whether a service has created its tables here.
    package func hasTables() async throws -> Bool {
        do {
            return try await read { transaction in try !transaction.appliedMigrations().isEmpty }
        } catch let error as SQLError where error.isMissingTable {
            return false
        }
    }
}

extension Log {
    fileprivate func report(_ message: SQLiteLog.Message) {
        let fields: Fields = [
            "code": .public(message.code), "message": .public(message.text), "suppressed": .public(message.suppressed),
        ]
        if message.isNotice { info(.sqliteReported, fields) } else { warn(.sqliteReported, fields) }
    }
}

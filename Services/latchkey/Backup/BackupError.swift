import Contracts
import SQL
import ServiceRuntime
import Storage

/// Why a backup or a restore failed.
enum BackupError: ExitError, Equatable {
    // Errors of a backup.
    case nothingToBackUp(dataDirectory: String)
    case destinationExists(String)
    case unwritable(String, reason: String)
    case full(String)

    // Errors in an existing backup.
    case notABackup(String, reason: String)
    case unsupportedFormat(String, program: String)
    case invalidMAC(String)
    case damaged(String, reason: String)

    // Why it cannot be restored here.
    case missingMasterKeys([String], place: String)
    case holdsData([ServiceName])
    case schemaNewer(ServiceName, backup: Int, known: Int)
    case migrationMismatch(ServiceName, version: Int)
    case schemaChanged(ServiceName)
    case anotherRestore(String)

    case database(ServiceName, SQLError)
    case copy(ServiceName, DatabaseCopyError)

    var exitCode: Int32 {
        switch self {
        case .missingMasterKeys: ExitCode.settings
        case .nothingToBackUp, .destinationExists, .unwritable, .full, .notABackup, .unsupportedFormat, .invalidMAC,
            .damaged, .holdsData,
            .schemaNewer, .migrationMismatch, .schemaChanged, .anotherRestore, .database, .copy:
            ExitCode.failure
        }
    }

    var messages: [String] { [sentence] }

    private var sentence: String {
        switch self {
        case .nothingToBackUp(let directory):
            "There is nothing to back up: no service has a database in \(directory), and no LATCHKEY_DATABASE_URL names "
                + "one with anything in it."
        case .destinationExists(let path):
            "\(path) is there already. A backup is never written over another: name a new directory."
        case .unwritable(let path, let reason):
            "\(path) cannot be written: \(reason). Name another directory, or let its owner write there."
        case .full(let path):
            "There is not enough room for a backup in \(path). Nothing was left there; make room and try again."
        case .notABackup(let path, let reason):
            "\(path) is not a backup: \(reason). Name the directory that `latchkey backup` made."
        case .unsupportedFormat(let path, let program):
            "The backup \(path) was made by Latchkey \(program), in a form this version (\(Program.version)) does not "
                + "know. Restore it with that version."
        case .invalidMAC(let path):
            "The backup \(path) was changed since it was made: its seal does not fit. Nothing was restored; take another "
                + "copy of it."
        case .damaged(let path, let reason):
            "The backup is damaged: \(path) \(reason). Nothing was restored; take another copy of it."
        case .missingMasterKeys(let ids, let place):
            "The backup can only be read with the master key \(ids.joined(separator: " and ")), which \(place) does not "
                + "hold. Put that key file back, or let LATCHKEY_MASTER_KEY_FILE name it. A key that a rotation has removed is "
                + "kept in a file beside the ring, FILE.former-ID: add its line to the end of the ring."
        case .holdsData(let services):
            "There is data already, of \(services.map(\.rawValue).joined(separator: ", ")). To give it up for what is in "
                + "the backup, add --replace."
        case .schemaNewer(let service, let backup, let known):
            "The backup of \(service.rawValue) has schema version \(backup), and the database was last used by a program "
                + "that knows only \(known). Start the newer program on it once, or restore into an empty database."
        case .migrationMismatch(let service, let version):
            "The backup of \(service.rawValue) was made with another migration \(version) than the database. They do "
                + "not belong to the same program."
        case .schemaChanged(let service):
            "The database of \(service.rawValue) was migrated while the backup was restored. Try again."
        case .anotherRestore(let directory):
            "Another restore into \(directory) is at work. Wait for its end."
        case .database(let service, let error):
            "The database of \(service.rawValue) cannot be used: \(error)."
        case .copy(let service, let fault):
            "The database of \(service.rawValue) cannot be copied: \(fault)."
        }
    }

    /// Runs a step with the database of one service.
    /// - Throws: `BackupError` if the operator can correct the error, otherwise the error unchanged.
    static func named<Result>(
        _ service: ServiceName, _ step: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await step()
        } catch let error as SQLError {
            throw BackupError.database(service, error)
        } catch let fault as DatabaseCopyError {
            throw BackupError.copy(service, fault)
        }
    }
}

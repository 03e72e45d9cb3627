package import SQL
import ServiceRuntime

/// A database that cannot be used as it is. A restart would not help, so the process ends with exit code 65 if its content is
/// the cause, or 78 if a setting or the permissions are. Nothing was changed.
package enum StorageError: ExitError, Equatable {
    /// The error of the database, and the variable that names it.
    case unusable(SQLError, StorageSettings.Location, setting: String)
    /// The database is empty, but a marker file exists.
    case lost(StorageSettings.Location, setting: String, note: String)
    /// The sealed records of the database do not open.
    case wrongMasterKey(file: String, StorageSettings.Location, setting: String)
    /// The marker file cannot be written.
    case markerWriteFailed(String, reason: String)

    package var exitCode: Int32 {
        switch self {
        case .unusable(let error, _, _): Self.exitCode(of: error)
        case .wrongMasterKey, .markerWriteFailed: ExitCode.settings
        case .lost: ExitCode.data
        }
    }

    /// That of a command or process which a permanent error ends.
    package static func exitCode(of error: SQLError) -> Int32 {
        error.isRefusedAccess ? ExitCode.settings : ExitCode.data
    }

    package var messages: [String] {
        switch self {
        case .unusable(let error, let location, let setting):
            [Self.sentence(error, location, setting)]
        case .lost(let location, let setting, let note):
            [
                "There is no data in the database \(location) that \(setting) names, but there was when \(note) was written. "
                    + "Restore it from your backup or let \(setting) name the right place; to begin without it, remove "
                    + "\(note)."
            ]
        case .wrongMasterKey(let file, let location, let setting):
            [
                "The database \(location) was sealed under another master key than that of \(file). Put the key file back "
                    + "from your backup, or let LATCHKEY_MASTER_KEY_FILE name the right one, or \(setting) the right "
                    + "database."
            ]
        case .markerWriteFailed(let path, let reason):
            [
                "The file \(path) cannot be written: \(reason). Give the directory of LATCHKEY_DATA to the user who runs "
                    + "this."
            ]
        }
    }

    private static func sentence(_ error: SQLError, _ location: StorageSettings.Location, _ setting: String) -> String {
        let elsewhere = "or let \(setting) name another place"
        switch error {
        case .cannotOpen(_, let message):
            let remedy =
                switch location {
                case .sqlite: "Let the user who runs this read and write the file and its folder, \(elsewhere)"
                case .postgres: "Put the right user, password, host, database and sslmode into \(setting)"
                }
            return "The database \(location) cannot be opened: \(withoutEnd(message)). \(remedy)."
        case .notADatabase:
            return "The file \(location) is not a SQLite database. Restore it from your backup, \(elsewhere)."
        case .readOnly:
            let remedy =
                switch location {
                case .sqlite: "Let the user who runs this write to the file and its folder, \(elsewhere)"
                case .postgres: "Give the user of \(setting) the right to, or name the primary server there"
                }
            return "The database \(location) cannot be written to. \(remedy)."
        case .damaged:
            return "The database \(location) is damaged. Restore it from your backup, \(elsewhere)."
        case .moved(let path):
            return "The file \(path) was removed or replaced while the database was in use. Restore the database from "
                + "your backup, \(elsewhere)."
        case .commitsLost(_, let watermark, let count):
            return
                "The database \(location) lacks the last \(count) of the acknowledged commits that \(watermark) counts: "
                + "its journal was damaged or removed, or an older file was put in its place. Restore it from your "
                + "backup; to go on with what is there, remove \(watermark)."
        case .anotherDatabase(_, let watermark):
            return
                "The database \(location) is not the one that \(watermark) belongs to. Put the right file back; to go on "
                + "with this one, remove \(watermark)."
        case .schemaNewer(let found, let needs, let known):
            return
                "The database \(location) has schema version \(found), which needs a program that knows version \(needs), and "
                + "this one knows \(known). Start the newer program, \(elsewhere)."
        case .migrationChanged(let version, let name):
            return
                "The database \(location) was made by another program: migration \(version) (\(name)) is not the one "
                + "known here. Start the program that made it, \(elsewhere)."
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .busy, .timedOut,
            .unavailable, .connectionsExhausted, .full, .migrationWaits, .transactionAborted, .closed, .replaced,
            .columnTypeMismatch,
            .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction, .other:
            return
                "The database \(location) cannot be used: \(error.reason). Restore it from your backup, \(elsewhere)."
        }
    }

    /// External messages may end with a full stop or a newline.
    private static func withoutEnd(_ message: String) -> String {
        let line = LogEscaping.escaped(message, maximumBytes: 500, betweenQuotes: false)
        return String(line.reversed().drop { $0 == "." || $0 == " " }.reversed())
    }
}

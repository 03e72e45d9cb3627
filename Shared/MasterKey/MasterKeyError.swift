import ServiceRuntime
import Settings

/// Why there is no master key, or a wrong one. Starting with another key would make all sealed records unreadable
/// permanently.
package enum MasterKeyError: ExitError, Equatable {
    case unreadable(String, reason: String)
    case readableByOthers(String)
    case malformed(String, MasterKeyRingError)
    case writeFailed(String, reason: String)
    /// The file cannot be replaced by the rotation; it stays unchanged.
    case replaceFailed(String, reason: String)
    /// A record was sealed under a key that is not in the ring. `place` names the file or variable.
    case unknownKey(id: String, place: String)

    package var exitCode: Int32 { ExitCode.settings }

    package var messages: [String] {
        switch self {
        case .unreadable(let path, let reason):
            [
                "The master key \(path) cannot be read: \(reason). Restore it from your backup, or let "
                    + "LATCHKEY_MASTER_KEY_FILE name the right file."
            ]
        case .readableByOthers(let path):
            ["The master key \(path) can be read by others. Run `chmod 400 \(path)`."]
        case .malformed(let path, let fault):
            ["\(path) \(fault.problem). Restore it from your backup."]
        case .writeFailed(let path, let reason):
            ["The master key \(path) cannot be written: \(reason). Let LATCHKEY_MASTER_KEY_FILE name another place."]
        case .replaceFailed(let path, let reason):
            [
                "The master key \(path) cannot be replaced: \(reason). Run this as the owner of its folder, or change the "
                    + "file by hand and run `latchkey keys rotate-master --wait-only --keep-old`."
            ]
        case .unknownKey(let id, Setting.masterKey.name):
            [
                "The database was sealed under master key \(id), which \(Setting.masterKey.name) does not hold. "
                    + "Add that key from your backup to it."
            ]
        case .unknownKey(let id, let place):
            [
                "The database was sealed under master key \(id), which \(place) does not hold. Put the key file back "
                    + "from your backup, or let LATCHKEY_MASTER_KEY_FILE name the right one."
            ]
        }
    }
}

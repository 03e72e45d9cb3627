internal import ServiceRuntime
internal import Settings

/// Why there is no master key, or not the right one. Starting with another would make everything sealed unreadable for
/// good.
package enum MasterKeyError: ExitError, Equatable {
    case unreadable(String, reason: String)
    case readableByOthers(String)
    case malformed(String, MasterKeyRingError)
    case writeFailed(String, reason: String)
    /// It cannot be rotated; it stays as it is.
    case replaceFailed(String, reason: String)
    /// Something was sealed under a key that is not in the ring. `place` names the file or variable.
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

import Contracts
import MasterKey
import ServiceRuntime
import Settings

/// Why `latchkey keys` failed.
enum KeysCommandError: ExitError, Equatable {
    case keyInEnvironment
    case anotherRotation(String)
    case fileChanged(String)
    case tooManyKeys(String)
    case undeclared(ServiceName, SealedRecordsError)
    /// This number of records should open under a key of the ring, but does not.
    case undecryptableRecords(ServiceName, Int, String)
    /// With these settings, no service has sealed records.
    case nothingSealed(String)
    /// There is one key, and every record is sealed under it.
    case nothingToWaitFor(String, String)
    /// A process holds other keys than those of `place`.
    case otherRing(String, [String], place: String, [String])
    /// These processes lack the announced key.
    case keyNotHeld(String, by: String, place: String)
    /// This process holds an announced key that the file lacks.
    case announcedElsewhere(String, by: String, place: String)
    /// `--abort` when no key is announced, or when the key seals already.
    case nothingAnnounced
    case alreadyActive(String)
    /// `delete-former` names a key that is in use, still needed, or missing.
    case keyInRing(String, place: String)
    case noFormerKey(String, path: String)
    case stillSealed(ServiceName, Int, String)

    var exitCode: Int32 {
        switch self {
        case .keyInEnvironment: ExitCode.settings
        case .anotherRotation, .fileChanged, .tooManyKeys, .undeclared, .undecryptableRecords, .nothingSealed,
            .nothingToWaitFor,
            .otherRing, .keyNotHeld, .announcedElsewhere, .nothingAnnounced, .alreadyActive, .keyInRing, .noFormerKey,
            .stillSealed:
            ExitCode.failure
        }
    }

    /// Whether the rotation continues when the operator has copied the key file.
    var waitsForCopies: Bool {
        if case .keyNotHeld = self { true } else { false }
    }

    var messages: [String] {
        switch self {
        case .keyInEnvironment:
            [
                "The master key is in \(Setting.masterKey.name), which only you can change. Put a new one "
                    + "(deploy/make-master-key makes it) before it in the variable, with a space between them, restart "
                    + "every process, and run `latchkey keys rotate-master --wait-only`, which says when the old one "
                    + "may go."
            ]
        case .anotherRotation(let path):
            ["Another `latchkey keys rotate-master` works on \(path). Wait for its end."]
        case .fileChanged(let path):
            ["\(path) was changed meanwhile, and is left as it is. Run this again."]
        case .tooManyKeys(let path):
            [
                "\(path) holds \(MasterKeyRing.limit) master keys. Run `latchkey keys rotate-master` without --keep-old "
                    + "first."
            ]
        case .undecryptableRecords(let service, let count, let place):
            [
                "\(count) records of \(service.rawValue) cannot be decrypted with the key that they name. Every other "
                    + "record is under the new key. The old ones stay in \(place): remove them by hand when you know "
                    + "that these records are damaged and not needed."
            ]
        case .undeclared(let service, let fault):
            [
                "The \(service.rawValue) database has undeclared sealed columns: \(fault). Start the mesh once with "
                    + "this version, and run the command again."
            ]
        case .nothingSealed(let directory):
            [
                "There is nothing to do: no service has sealed anything in \(directory), and no LATCHKEY_DATABASE_URL "
                    + "names a database in which one has."
            ]
        case .nothingToWaitFor(let place, let id):
            ["There is nothing to wait for: \(place) holds \(id) alone, and every record was under it."]
        case .otherRing(let process, let found, let place, let expected):
            [
                "\(process) holds the master keys \(found.joined(separator: ", ")), and \(place) holds "
                    + "\(expected.joined(separator: ", ")). No former key was removed. Give every process the same keys in the "
                    + "same order, or run this with those that the processes have, and run it again."
            ]
        case .keyNotHeld(let id, let processes, let place):
            [
                "Not yet on the new master key \(id): \(processes). No process seals under it. Copy \(place) to the "
                    + "machines of these processes, and run this again: it continues when all hold the key. "
                    + "`latchkey keys rotate-master --abort` removes the key again."
            ]
        case .announcedElsewhere(let id, let process, let place):
            [
                "\(process) holds the new master key \(id), which a rotation on another machine has announced and \(place) "
                    + "does not hold. Copy the key file of that machine to \(place), or run "
                    + "`latchkey keys rotate-master --abort` there."
            ]
        case .nothingAnnounced:
            ["There is nothing to abort: no new master key is announced."]
        case .alreadyActive(let id):
            [
                "The processes already seal under the new master key \(id). Run `latchkey keys rotate-master` without "
                    + "--abort, which completes the rotation."
            ]
        case .keyInRing(let id, let place):
            ["The master key \(id) is in \(place). Only a key that a rotation has removed can be deleted."]
        case .noFormerKey(let id, let path):
            ["There is nothing to delete: \(path) is not there, so no former master key \(id) is kept."]
        case .stillSealed(let service, let count, let id):
            [
                "\(count) records of \(service.rawValue) are under the master key \(id), or may be. Nothing was deleted. "
                    + "`latchkey keys list` shows which records are sealed under each key."
            ]
        }
    }
}

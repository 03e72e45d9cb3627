import Contracts
import Crypto
import FoundationEssentials
import Glibc
import JSON
import UserFiles
import Vocabulary

/// How far an import came: a small file beside the file of users, for `--resume`.
struct ImportState: Codable, Equatable {
    var progress: ImportProgress
    /// A digest of the beginning of the file: a file that was cut and then completed has the same.
    var beginning: String
    var beginningBytes: Int
    var realm: Realm

    static let maximumBeginningBytes = 4096

    static func path(for file: String) -> String { file + ".import-state" }

    init(of source: TransferSource, in realm: Realm) throws {
        let bytes = try source.beginning(Self.maximumBeginningBytes)
        progress = ImportProgress()
        beginning = Base64URL.encode(SHA2.sha256(bytes))
        beginningBytes = bytes.count
        self.realm = realm
    }

    /// What an earlier run has done.
    /// - Returns: no records if there was no earlier run.
    /// - Throws: `otherState`, `unreadable`.
    static func progress(for file: String, _ source: TransferSource, in realm: Realm) throws -> ImportProgress {
        let path = path(for: file)
        guard access(path, F_OK) == 0 else { return ImportProgress() }
        let state: ImportState
        do {
            state = try WireJSON.decode(ImportState.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw UserTransferError.unreadable(path, reason: "it is not the state of an import")
        }
        guard (0...maximumBeginningBytes).contains(state.beginningBytes), state.progress.records >= 0,
            state.realm == realm,
            Base64URL.encode(SHA2.sha256(try source.beginning(state.beginningBytes))) == state.beginning
        else { throw UserTransferError.otherState(path) }
        return state.progress
    }

    /// Replaces the file at once, so that an interruption leaves the former one.
    func write(for file: String) throws {
        let path = Self.path(for: file)
        do {
            try WireJSON.encode(self).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw UserTransferError.unwritable(path, reason: "the state of the import cannot be saved")
        }
    }

    static func remove(for file: String) { unlink(path(for: file)) }
}

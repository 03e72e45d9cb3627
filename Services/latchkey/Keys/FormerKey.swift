import Contracts
import MasterKey

/// A master key that a rotation removed from the ring and kept in a file beside it.
struct FormerKey {
    let id: String
    let keys: ReloadingMasterKeyRing
    let databases: [SealedDatabase]
    /// How long the command waits for replies of processes.
    var window = RingInquiries.defaultWindow

    /// Deletes the key, unless a record may need it.
    /// - Throws: `KeysCommandError.noFormerKey`, `keyInRing`, `otherRing`, `stillSealed`; `MasterKeyError.writeFailed`.
    func delete(printLine: (String) -> Void) async throws {
        guard case .file(let path) = keys.source else { throw KeysCommandError.keyInEnvironment }
        let lock = try RotationLock(beside: path)
        try keys.refresh()
        guard MasterKeyFile.formerIDs(beside: path).contains(id) else {
            throw KeysCommandError.noFormerKey(id, path: MasterKeyFile.formerPath(of: id, beside: path))
        }
        guard keys.ring[id] == nil else { throw KeysCommandError.keyInRing(id, place: path) }
        var inquiries = RingInquiries(databases, window: window)
        try await inquiries.requireOne(keys.ring.ids, place: keys.source, changed: true)
        for (service, scan) in try await KeyInventory.recordCounts(of: databases) {
            // A record without a key id may be sealed under any key.
            let count = scan.found[id, default: 0] + scan.legacyCount
            guard count == 0 else { throw KeysCommandError.stillSealed(service, count, id) }
            printLine("\(service.rawValue): none of \(scan.seen) records is sealed under \(id).")
        }
        try MasterKeyFile.deleteFormer(id, beside: path)
        printLine(
            "Deleted \(MasterKeyFile.formerPath(of: id, beside: path)). Backups made under \(id) need a copy of it.")
        _ = consume lock
    }
}

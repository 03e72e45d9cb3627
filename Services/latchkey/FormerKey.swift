internal import Contracts
internal import MasterKey

/// A master key that a rotation has removed from the ring and kept beside its file.
struct FormerKey {
    private let id: String
    private let keys: MasterKeys
    private let databases: [SealedDatabase]
    private let window: Duration

    init(
        _ id: String, _ keys: MasterKeys, _ databases: [SealedDatabase], window: Duration = RingInquiries.defaultWindow
    ) {
        self.id = id
        self.keys = keys
        self.databases = databases
        self.window = window
    }

    /// Deletes the key, unless anything may need it.
    /// - Throws: `KeysFailure.noFormerKey`, `keyInRing`, `otherRing`, `stillSealed`; `MasterKeyFault.unwritable`.
    func delete(tell: (String) -> Void) async throws {
        guard case .file(let path) = keys.place else { throw KeysFailure.keyInEnvironment }
        let lock = try RotationLock(beside: path)
        try keys.refresh()
        guard MasterKeyFile.formerIDs(beside: path).contains(id) else {
            throw KeysFailure.noFormerKey(id, path: MasterKeyFile.formerPath(of: id, beside: path))
        }
        guard keys.ring[id] == nil else { throw KeysFailure.keyInRing(id, place: path) }
        var inquiries = RingInquiries(databases, window: window)
        try await inquiries.requireOne(keys.ring.ids, place: keys.place, changed: true)
        for (service, walk) in try await KeyList.census(of: databases) {
            // A record that names no key may be under any.
            let count = walk.found[id, default: 0] + walk.unnamed
            guard count == 0 else { throw KeysFailure.stillSealed(service, count, id) }
            tell("\(service.rawValue): none of \(walk.seen) records is under \(id).")
        }
        try MasterKeyFile.deleteFormer(id, beside: path)
        tell("Deleted \(MasterKeyFile.formerPath(of: id, beside: path)). Backups made under \(id) need a copy of it.")
        _ = consume lock
    }
}

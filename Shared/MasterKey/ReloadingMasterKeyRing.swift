import ServiceRuntime
import Synchronization

/// The master keys of a running process. It reloads them from the file, because an operator rotates them while the mesh
/// runs. A copy of the file on another machine keeps its order: the databases say which of its keys seals
/// (`RingAnnouncement`).
///
/// A process can open records with every key that was ever in its ring. So it can reseal a record that a slow process
/// sealed just before the key left the file.
package final class ReloadingMasterKeyRing: Sendable {
    private struct State {
        /// As the source lists it.
        var listed: MasterKeyRing
        /// By the id of a key, the id of the one that replaced it.
        var replacements: [String: String] = [:]
        /// Keys that were removed from the ring, by id.
        var removedKeys: [String: MasterKey] = [:]
        /// Ids of records that no key of the ring opened.
        var missedKeys: Set<String> = []
        /// The fingerprint of the file at the last check; nil if it did not exist.
        var fingerprint: FileFingerprint?
        var checkedAt: ContinuousClock.Instant

        var ring: MasterKeyRing { listed.following(replacements) }
    }

    package let source: MasterKeySource
    /// The process, as `SealedRecords.declare` registers it; nil in a command, for which no rotation waits.
    let holder: RingHolder.Identity?
    private let state: Mutex<State>
    /// Held during a check of the file; concurrent callers wait for its result.
    private let reloadLock = Mutex(())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// The maximum age of a check of the file before sealing. A rotation relies on it: no process seals under a key
    /// that was replaced longer ago, not even one that was suspended for an hour.
    static let maximumStaleness = Duration.seconds(1)

    /// Reads the keys for the first time. It blocks: call it at start.
    /// - Parameter holder: the process; nil in a command, for which no rotation waits.
    /// - Throws: `MasterKeyError`.
    package init(
        _ source: MasterKeySource, heldBy holder: RingHolder.Identity? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(MasterKeyError) {
        self.source = source
        self.holder = holder
        self.now = now
        let checkedAt = now()
        switch source {
        case .file(let path):
            let (ring, fingerprint) = try MasterKeyFile.readStamped(path)
            state = Mutex(State(listed: ring, fingerprint: fingerprint, checkedAt: checkedAt))
        case .variable(let ring):
            state = Mutex(State(listed: ring, fingerprint: nil, checkedAt: checkedAt))
        }
    }

    /// The ring as it was last read, with the key on top that seals.
    package var ring: MasterKeyRing { state.withLock(\.ring) }

    /// The ring in the order of the file or variable.
    package var listed: MasterKeyRing { state.withLock(\.listed) }

    /// Lets the keys seal that replaced others on every machine.
    func follow(_ announcements: [RingAnnouncement]) {
        let active = announcements.filter(\.isActive).map { ($0.replacedID, $0.keyID) }
        state.withLock { $0.replacements.merge(active) { $1 } }
    }

    /// Checks whether the file has changed, and reads it if so. It blocks.
    /// - Throws: `MasterKeyError` if the new file cannot be used: once, until the file changes again. The ring stays
    ///   unchanged.
    package func refresh() throws(MasterKeyError) {
        guard case .file(let path) = source else { return }
        try reloadLock.withLock { _ throws(MasterKeyError) in try reloadIfChanged(at: path) }
    }

    /// Whether the file differs from the one that was last read. It reads the attributes of the file only, which are in
    /// memory after the first time: no other thread is needed.
    func fileHasChanged() -> Bool {
        guard case .file(let path) = source else { return false }
        let checkedAt = now()
        let fingerprint = FileFingerprint(path)
        return state.withLock { state in
            guard state.fingerprint == fingerprint else { return true }
            state.checkedAt = checkedAt
            return false
        }
    }

    private func reloadIfChanged(at path: String) throws(MasterKeyError) {
        let checkedAt = now()
        let fingerprint = FileFingerprint(path)
        let isSame = state.withLock { state in
            defer { (state.fingerprint, state.checkedAt) = (fingerprint, checkedAt) }
            return state.fingerprint == fingerprint
        }
        guard !isSame else { return }
        let (ring, readStamp) = try MasterKeyFile.readStamped(path)
        state.withLock { state in
            for key in state.listed.all where ring[key.id] == nil { state.removedKeys[key.id] = key }
            (state.listed, state.fingerprint) = (ring, readStamp)
        }
    }

    /// The key to seal with. It is based on a check of the file not older than `maximumStaleness`. It may block.
    func currentKey() -> MasterKey {
        let (known, checkedAt) = state.withLock { ($0.ring.current, $0.checkedAt) }
        guard now() - checkedAt >= Self.maximumStaleness else { return known }
        // `try?`: maintenance reports errors of the file. Until the file is valid again, the known key stays in use.
        try? refresh()
        return ring.current
    }

    /// The key with this id. For an unknown id the file is checked, and read if it changed, because a rotation may have
    /// just happened. It may block.
    func key(_ id: String) -> MasterKey? {
        if let known = knownKey(id) { return known }
        try? refresh()  // As above.
        return knownKey(id)
    }

    /// Records that a record names a key that is not in the ring.
    func noteMissed(_ id: String) {
        // Bounded: a record of the old form can name any id.
        state.withLock { if $0.missedKeys.count < MasterKeyRing.limit { $0.missedKeys.insert(id) } }
    }

    /// The ids of keys that records name, and that were not in the ring.
    var missedKeys: Set<String> { state.withLock(\.missedKeys) }

    /// Whether this process can open records under this key. It reads no file.
    func isKnown(_ id: String) -> Bool { knownKey(id) != nil }

    private func knownKey(_ id: String) -> MasterKey? {
        state.withLock { $0.listed[id] ?? $0.removedKeys[id] }
    }
}

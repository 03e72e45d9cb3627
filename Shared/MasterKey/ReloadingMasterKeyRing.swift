internal import Synchronization

/// The master keys of a running process, which follow their file: an operator rotates them while the mesh works.
///
/// Every key that was ever in the ring goes on to open for as long as the process lives, so that a record which a slow
/// neighbour sealed just before the key left the file is found and sealed anew.
package final class ReloadingMasterKeyRing: Sendable {
    private struct State {
        var ring: MasterKeyRing
        /// What left the ring, by id.
        var removedKeys: [String: MasterKey] = [:]
        /// Of the file as it was last looked at; nil when it was not there.
        var stamp: FileFingerprint?
        var checkedAt: ContinuousClock.Instant
    }

    package let source: MasterKeySource
    private let state: Mutex<State>
    /// Held while somebody looks at the file: who comes meanwhile waits for what that one finds.
    private let reloadLock = Mutex(())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// How old a look at the file may be for sealing. A rotation counts on nobody sealing under a key that was replaced
    /// longer ago than this, not even a process that stood still for an hour.
    static let maximumStaleness = Duration.seconds(1)

    /// Reads the keys for the first time. It blocks: call it at start.
    /// - Throws: `MasterKeyError`.
    package init(
        _ place: MasterKeySource, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(MasterKeyError) {
        self.source = place
        self.now = now
        let lookedAt = now()
        switch place {
        case .file(let path):
            let (ring, stamp) = try MasterKeyFile.readStamped(path)
            state = Mutex(State(ring: ring, stamp: stamp, checkedAt: lookedAt))
        case .variable(let ring):
            state = Mutex(State(ring: ring, stamp: nil, checkedAt: lookedAt))
        }
    }

    /// The ring as it was last read.
    package var ring: MasterKeyRing { state.withLock(\.ring) }

    /// Looks whether the file is another than before, and reads it if so. It blocks.
    /// - Throws: `MasterKeyError` when the new file cannot be used: once, until the file changes again. The ring stays.
    package func refresh() throws(MasterKeyError) {
        guard case .file(let path) = source else { return }
        try reloadLock.withLock { _ throws(MasterKeyError) in try reloadIfChanged(at: path) }
    }

    private func reloadIfChanged(at path: String) throws(MasterKeyError) {
        let lookedAt = now()
        let stamp = FileFingerprint(path)
        let isSame = state.withLock { state in
            defer { (state.stamp, state.checkedAt) = (stamp, lookedAt) }
            return state.stamp == stamp
        }
        guard !isSame else { return }
        let (ring, readStamp) = try MasterKeyFile.readStamped(path)
        state.withLock { state in
            for key in state.ring.all where ring[key.id] == nil { state.removedKeys[key.id] = key }
            (state.ring, state.stamp) = (ring, readStamp)
        }
    }

    /// The key to seal with, by a look at the file that is not older than the lease. It may block.
    func currentKey() -> MasterKey {
        let (known, lookedAt) = state.withLock { ($0.ring.current, $0.checkedAt) }
        guard now() - lookedAt >= Self.maximumStaleness else { return known }
        // `try?`: what is wrong with the file is the upkeep's to tell; until it is right again the known key goes on.
        try? refresh()
        return ring.current
    }

    /// The key of an id. For one that is not known the file is looked at, since it may have been rotated a moment ago,
    /// and read if it changed. It may block.
    func key(_ id: String) -> MasterKey? {
        if let known = knownKey(id) { return known }
        try? refresh()  // As above.
        return knownKey(id)
    }

    private func knownKey(_ id: String) -> MasterKey? {
        state.withLock { $0.ring[id] ?? $0.removedKeys[id] }
    }
}

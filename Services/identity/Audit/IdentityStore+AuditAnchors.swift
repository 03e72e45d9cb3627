import Crypto
import MasterKey
import SQL
import Synchronization
import Vocabulary

// The anchors of the audit log: sealed copies of the end of its chain. The last one is also noted beside the database,
// if the engine has such a place, and this process remembers it.

/// A stored anchor.
private struct StoredAnchor: Sendable {
    var anchor: AuditAnchor
    var isMoving: Bool
}

extension IdentityStore {
    /// Fixes the end of the chain, or confirms that it is still the end. A log that does not end at its last anchor is
    /// left as it is: `verifyAudit` says why.
    /// - Parameter isFixing: otherwise the end is only confirmed.
    /// - Returns: the end, if it was not fixed before.
    func anchorAudit(at now: Moment, isFixing: Bool = true) async throws -> AuditLink? {
        let known = try await knownAuditEnd()
        let (anchor, isNew) = try await write { [self] transaction -> (AuditAnchor?, Bool) in
            guard let stored = try readableAnchor(transaction),
                AuditEnd(link: try transaction.lastAuditLink(), anchor: stored.anchor, known: known).isIntact
            else { return (nil, false) }
            var anchor = stored.anchor
            anchor.seal?.at = now
            // That of a log without records disappears with the first one.
            let isFixed = !stored.isMoving || isFixing && anchor.link != .origin
            try transaction.execute(
                AuditAnchorTable.confirmation,
                [.link: anchor.link.number, .at: now, .isMoving: !isFixed, .sealedChain: try sealed(anchor)])
            return (anchor, stored.isMoving && isFixed)
        }
        guard let anchor else { return nil }
        try await keep(anchor)
        return isNew ? anchor.link : nil
    }

    /// Confirms the end of the chain, unless this process has done so: a mesh that was stopped for some time has an old
    /// anchor, and a new database one without a time.
    func confirmAuditAfterStart(at now: Moment) async throws {
        if auditEnd.withLock({ $0 }) == nil { _ = try await anchorAudit(at: now, isFixing: false) }
    }

    /// Anchors the log of a new database, or of one that an earlier version wrote. Call it once, after the migration.
    static func beginAnchors(sealedBy keys: SealingKeys, _ transaction: borrowing SQLTransaction) throws {
        let row = try transaction.firstRow(AuditLogTable.lastLink)
        let last = try row.map { try AuditLink($0) } ?? .origin
        let previous: Int64 =
            try transaction.firstRow(AuditAnchorTable.lastUpTo, [:], last.number.subtractingSaturated(1))?.get(.link)
            ?? AuditAnchor.none
        let at: Moment? = try row?.get(.at)
        try insert(
            AuditAnchor(link: last, seal: .init(at: at ?? Moment(milliseconds: 0), previous: previous)),
            sealedBy: keys, transaction)
    }

    /// Anchors the chain that grew, in the transaction that links the records.
    /// - Parameter time: of the last record.
    func anchor(
        _ end: AuditLink, after former: AuditLink, known: AuditLink?, at time: Moment?,
        _ transaction: borrowing SQLTransaction
    ) throws -> AuditAnchor? {
        guard let time else { return nil }
        let stored = try readableAnchor(transaction)
        let state = AuditEnd(link: former, anchor: stored?.anchor, known: known)
        let isMoving = state.isIntact && stored?.isMoving == true
        guard let anchor = state.anchor(of: end, isMoving: isMoving, at: time) else { return nil }
        if isMoving { try transaction.execute(AuditAnchorTable.removalOfLink, [.link: former.number]) }
        try Self.insert(anchor, sealedBy: sealingKeys, transaction)
        return anchor
    }

    /// Lets the anchor behind removed ones name the one before them.
    func closeGap(of removed: [Int64], behind link: Int64, _ transaction: borrowing SQLTransaction) throws {
        guard !removed.isEmpty, let row = try transaction.firstRow(AuditAnchorTable.firstBehind, [:], link) else {
            return
        }
        let number: Int64 = try row.get(.link)
        var anchor: AuditAnchor
        do {
            anchor = try self.anchor(number, try row.get(.sealedChain))
        } catch CryptoError.authenticationFailed {
            return
        }
        // One that names another anchor shows a violation.
        guard let seal = anchor.seal, removed.contains(seal.previous) else { return }
        anchor.seal?.previous =
            try transaction.firstRow(AuditAnchorTable.lastUpTo, [:], link)?.get(.link)
            ?? AuditAnchor.none
        try transaction.execute(
            AuditAnchorTable.confirmation,
            [
                .link: number, .at: seal.at, .isMoving: try row.get(.isMoving) as Bool,
                .sealedChain: try sealed(anchor),
            ])
    }

    /// Compares the last link with the last anchor, with the note beside the database, and with what this process knows.
    func checkEnd(
        _ verification: AuditVerifier, _ note: [UInt8]?, at now: Moment?, in transaction: borrowing SQLTransaction
    ) throws {
        try verification.checkEnd(try lastAnchor(transaction)?.anchor, at: now)
        for copy in [try open(note, transaction), auditEnd.withLock({ $0 })].compactMap(\.self) where copy != .origin {
            try verification.check(copy)
            // A record that retention has deleted is covered by its cut.
            guard let row = try transaction.firstRow(AuditLogTable.chainOfLink, [.link: copy.number]) else { continue }
            guard constantTimeEquals(try row.get(.chain), copy.chain) else {
                throw AuditError.rewritten(link: copy.number)
            }
        }
    }

    /// - Throws: `CryptoError.authenticationFailed`
    func anchor(_ number: Int64, _ sealed: [UInt8]) throws -> AuditAnchor {
        let record = try sealingKeys.open(sealed, binding: Self.sealedAnchor.binding(.integer(number)))
        guard let anchor = AuditAnchor(number: number, record: record) else { throw CryptoError.authenticationFailed }
        return anchor
    }

    private func lastAnchor(_ transaction: borrowing SQLTransaction) throws -> StoredAnchor? {
        try transaction.firstRow(AuditAnchorTable.last).map { row in
            StoredAnchor(
                anchor: try anchor(try row.get(.link), try row.get(.sealedChain)), isMoving: try row.get(.isMoving))
        }
    }

    /// Nil also for one that was changed: the log goes on, and `verifyAudit` finds it.
    private func readableAnchor(_ transaction: borrowing SQLTransaction) throws -> StoredAnchor? {
        do {
            return try lastAnchor(transaction)
        } catch CryptoError.authenticationFailed {
            return nil
        }
    }

    private func sealed(_ anchor: AuditAnchor) throws -> [UInt8] { try Self.sealed(anchor, by: sealingKeys) }

    private static func sealed(_ anchor: AuditAnchor, by keys: SealingKeys) throws -> [UInt8] {
        try keys.seal(anchor.record, binding: sealedAnchor.binding(.integer(anchor.link.number)))
    }

    private static func insert(
        _ anchor: AuditAnchor, sealedBy keys: SealingKeys, _ transaction: borrowing SQLTransaction
    ) throws {
        // A row that somebody put there must not stop the log.
        try transaction.execute(AuditAnchorTable.removalOfLink, [.link: anchor.link.number])
        try transaction.execute(
            AuditAnchorTable.insertion,
            [
                .link: anchor.link.number, .at: anchor.seal?.at, .isMoving: true,
                .sealedChain: try sealed(anchor, by: keys),
            ])
    }
}

// MARK: - What is known besides the database

extension IdentityStore {
    /// A note is the epoch of its database and the sealed anchor. After the restore of a backup it says nothing.
    private static func binding(_ epoch: [UInt8]) -> [UInt8] { Array("audit note/".utf8) + epoch }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }

    /// The end of the chain when this process linked or anchored last; before that, the end of the note.
    func knownAuditEnd() async throws -> AuditLink? {
        if let known = auditEnd.withLock({ $0 }) { return known }
        guard let note = try await database.note() else { return nil }
        return try await read { [self] transaction in
            do {
                return try open(note, transaction)
            } catch CryptoError.authenticationFailed {
                // `verifyAudit` reports it.
                return nil
            }
        }
    }

    /// Remembers an anchor that was committed.
    func keep(_ anchor: AuditAnchor) async throws {
        auditEnd.withLock { known in
            if known.map({ $0.number <= anchor.link.number }) ?? true { known = anchor.link }
        }
        let note = try await read { [self] transaction in
            let epoch = Self.bytes(try transaction.epoch() ?? 0)
            return epoch
                + (try sealingKeys.seal(
                    Self.bytes(anchor.link.number) + anchor.record, binding: Self.binding(epoch)))
        }
        try await database.keepNote(note)
    }

    /// - Returns: nil without a note, for one of another epoch, and for one under a former master key.
    /// - Throws: `CryptoError.authenticationFailed`
    private func open(_ note: [UInt8]?, _ transaction: borrowing SQLTransaction) throws -> AuditLink? {
        let epoch = Self.bytes(try transaction.epoch() ?? 0)
        guard let note, note.starts(with: epoch) else { return nil }
        let record: [UInt8]
        do {
            record = try sealingKeys.open(Array(note.dropFirst(epoch.count)), binding: Self.binding(epoch))
        } catch is MasterKeyError {
            return nil
        }
        guard record.count > 8 else { throw CryptoError.authenticationFailed }
        let number = Int64(bitPattern: record.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        return AuditAnchor(number: number, record: Array(record.dropFirst(8)))?.link
    }
}

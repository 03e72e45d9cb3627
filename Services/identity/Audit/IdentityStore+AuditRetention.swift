import Contracts
import Crypto
import MasterKey
import SQL
import Vocabulary

// Refusals are counted, so that repeated ones do not fill the audit log: each minute has one row for each realm,
// subject and kind. Old rows are deleted; sealed cuts keep the chain verifiable.

extension SQLTransaction {
    /// The number of counters for the refusals of one subject without an account: concurrent requests rarely wait for
    /// the same row.
    private static var shards: UInt8 { 16 }

    /// Counts a refusal together with others of its minute.
    borrowing func countRefusal(_ refusal: Identity.AuditLogRecord) throws {
        let minute = refusal.at.milliseconds / AuditMinute.milliseconds
        // Attempts at one account are serialized anyway.
        let shard = refusal.accountID == nil ? (refusal.traceID.utf8.reduce(0) { $0 &* 31 &+ $1 }) % Self.shards : 0
        try execute(
            AuditRefusalTable.increment,
            refusal.group(minute: minute) + [
                .shard: Int64(shard), .count: 1, .at: refusal.at, .ipAddress: refusal.ipAddress,
                .trace: refusal.traceID,
            ])
    }
}

private enum AuditMinute {
    static let milliseconds: Int64 = 60_000
    /// After the end of a minute, until transactions that began in it have ended.
    static let grace = Duration.seconds(2)
}

// MARK: - Refusals of past minutes

extension IdentityStore {
    /// Writes the refusals of past minutes into the audit log.
    /// - Parameter batch: rows of one transaction; more than the shards of a subject.
    func closeRefusals(at now: Moment, batch: Int = 500) async throws {
        let minute = (now + (.zero - AuditMinute.grace)).milliseconds / AuditMinute.milliseconds
        // Read in a transaction of its own: in most seconds there is nothing to do.
        while try await read({ transaction in
            try transaction.firstRow(AuditRefusalTable.firstClosed, [:], minute)
        }) != nil {
            try await write { transaction in try transaction.closeRefusals(before: minute, batch) }
        }
    }
}

extension SQLTransaction {
    fileprivate borrowing func closeRefusals(before minute: Int64, _ batch: Int) throws {
        let rows = try rows(AuditRefusalTable.closed, [:], minute, batch)
        var groups: [(minute: Int64, record: Identity.AuditLogRecord)] = []
        for row in rows {
            let (minute, record): (Int64, Identity.AuditLogRecord) = (
                try row.get(.minute), try Identity.AuditLogRecord(row)
            )
            if let last = groups.last, last.minute == minute, last.record.isGrouped(with: record) {
                groups[groups.count - 1].record.add(record)
            } else {
                groups.append((minute, record))
            }
        }
        // The last one may continue after the batch.
        if rows.count == batch, groups.count > 1 { groups.removeLast() }
        for (minute, record) in groups {
            try execute(AuditLogTable.insertion, record.columns)
            try execute(AuditRefusalTable.removalOfGroup, record.group(minute: minute))
        }
    }
}

extension Identity.AuditLogRecord {
    /// Whether the refusals of one minute become one record.
    fileprivate func isGrouped(with other: Identity.AuditLogRecord) -> Bool {
        (project, tenant, action, outcome, actor, accountID)
            == (other.project, other.tenant, other.action, other.outcome, other.actor, other.accountID)
    }

    /// Adds the refusals of another row. Time and address are those of the first refusal.
    fileprivate mutating func add(_ other: Identity.AuditLogRecord) {
        let total = (count ?? 1) + (other.count ?? 1)
        if other.at < at { self = other }
        count = total
    }
}

// MARK: - Expired rows

extension IdentityStore {
    /// Deletes rows of the audit log that are older than their retention. The chain stays verifiable.
    /// - Parameter batch: rows of one transaction.
    func deleteAudit(olderThan retention: AuditRetention, at now: Moment, batch: Int = 500) async throws {
        for (statement, age) in [
            (AuditLogTable.oldActs, retention.acts), (AuditLogTable.oldRefusals, retention.refusals),
        ] {
            var isDone = false
            while !isDone {
                let old = try await read { transaction in
                    try transaction.rows(statement, [:], now - age, batch)
                        .map { (sequence: try $0.get(.sequence) as Int64, link: try AuditLink($0)) }
                }
                isDone = old.count < batch
                guard !old.isEmpty else { break }
                do {
                    try await delete(old)
                } catch is DeletedElsewhere {
                    // Another process was faster; the next call finds the remaining rows.
                    return
                }
            }
        }
    }

    private func delete(_ old: [(sequence: Int64, link: AuditLink)]) async throws {
        try await write { [self] transaction in
            for (sequence, link) in old {
                try transaction.execute(AuditLogTable.removal, [.sequence: sequence, .link: link.number])
                guard transaction.changes == 1 else { throw DeletedElsewhere() }
            }
            for cut in AuditCut.cuts(deleting: old.map(\.link)) { try insert(cut, transaction) }
        }
    }

    private func insert(_ cut: AuditCut, _ transaction: borrowing SQLTransaction) throws {
        let adjacent = try transaction.rows(AuditCutTable.adjacent, [:], cut.first - 1, cut.end.number + 1)
            .map { try self.cut($0) }
        let joined = cut.joined(
            before: adjacent.first { $0.first < cut.first }, after: adjacent.first { $0.first > cut.first })
        let (first, last) = (joined.first, joined.end.number)
        try transaction.execute(AuditCutTable.removal, [:], first, last)
        // An anchor inside a cut has no record to verify.
        let removed: [Int64] = try transaction.rows(AuditAnchorTable.removal, [:], first, last)
            .map { try $0.get(.link) }
        try closeGap(of: removed, behind: last, transaction)
        let sealed = try sealingKeys.seal(joined.record, binding: Self.sealedCut.binding(.integer(first)))
        try transaction.execute(
            AuditCutTable.insertion, [.firstLink: first, .lastLink: last, .sealedEnd: sealed])
    }

    /// A cut that was made with the master key.
    /// - Throws: `CryptoError.authenticationFailed`, `AuditError.missing`.
    func cut(_ row: SQLTableRow<AuditCutTable>) throws -> AuditCut {
        let first: Int64 = try row.get(.firstLink)
        let record = try sealingKeys.open(
            try row.get(.sealedEnd), binding: Self.sealedCut.binding(.integer(first)))
        guard let cut = AuditCut(first: first, record: record) else { throw AuditError.missing(link: first) }
        return cut
    }
}

/// Rolls back a transaction whose rows another process has deleted meanwhile.
private struct DeletedElsewhere: Error {}

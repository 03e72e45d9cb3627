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
    borrowing func countRefusal(_ refusal: AuditRecord) throws {
        let minute = refusal.at.milliseconds / AuditMinute.milliseconds
        // Attempts at one account are serialized anyway.
        let shard = refusal.accountID == nil ? (refusal.traceID.utf8.reduce(0) { $0 &* 31 &+ $1 }) % Self.shards : 0
        try execute(
            """
            INSERT INTO audit_refusals (
                minute, project, tenant, action, outcome, actor, account_id, shard, count, at, ip_address, trace)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $10, $11)
            ON CONFLICT (minute, project, tenant, action, outcome, actor, account_id, shard) DO UPDATE SET
                count = audit_refusals.count + 1
            """, .integer(minute), .text(refusal.project), .text(refusal.tenant), .text(refusal.action),
            .text(refusal.outcome), .text(refusal.actor), .text(refusal.accountID ?? ""), .integer(Int64(shard)),
            .integer(refusal.at.milliseconds), SQLValue(refusal.ipAddress), .text(refusal.traceID))
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
            try transaction.firstRow("SELECT minute FROM audit_refusals WHERE minute < $1 LIMIT 1", .integer(minute))
        }) != nil {
            try await write { transaction in try transaction.closeRefusals(before: minute, batch) }
        }
    }
}

extension SQLTransaction {
    private static var refusalKey: String { "minute, project, tenant, action, outcome, actor, account_id" }

    fileprivate borrowing func closeRefusals(before minute: Int64, _ batch: Int) throws {
        let rows = try rows(
            """
            SELECT \(Self.refusalKey), shard, count, at, ip_address, trace FROM audit_refusals
            WHERE minute < $1 ORDER BY \(Self.refusalKey), shard LIMIT $2
            """, .integer(minute), .integer(Int64(batch)))
        var groups: [(key: [SQLValue], record: AuditRecord)] = []
        for row in rows {
            let record = try AuditRecord(refusals: row)
            let key: [SQLValue] = [
                .integer(try row.get("minute")), .text(record.project), .text(record.tenant), .text(record.action),
                .text(record.outcome), .text(record.actor), .text(record.accountID ?? ""),
            ]
            if let last = groups.last, last.key == key {
                groups[groups.count - 1].record.add(record)
            } else {
                groups.append((key, record))
            }
        }
        // The last one may continue after the batch.
        if rows.count == batch, groups.count > 1 { groups.removeLast() }
        for (key, record) in groups {
            try insert(record)
            try execute(
                """
                DELETE FROM audit_refusals
                WHERE minute = $1 AND project = $2 AND tenant = $3 AND action = $4 AND outcome = $5 AND actor = $6
                    AND account_id = $7
                """, parameters: key)
        }
    }
}

extension AuditRecord {
    fileprivate init(refusals row: SQLRow) throws {
        let accountID: String = try row.get("account_id")
        let count: Int = try row.get("count")
        self.init(
            at: Moment(milliseconds: try row.get("at")), project: try row.get("project"), tenant: try row.get("tenant"),
            action: try row.get("action"), outcome: try row.get("outcome"), actor: try row.get("actor"),
            accountID: accountID.nilIfEmpty, ipAddress: try row.getIfPresent("ip_address"),
            traceID: try row.get("trace"), count: count)
    }

    /// Adds the refusals of another row. Time and address are those of the first refusal.
    fileprivate mutating func add(_ other: AuditRecord) {
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
        for (condition, age) in [("outcome = 'done'", retention.acts), ("outcome <> 'done'", retention.refusals)] {
            var isDone = false
            while !isDone {
                let old = try await read { transaction in
                    // Never the last link: the next one is computed from it.
                    try transaction.rows(
                        """
                        SELECT sequence, link, chain FROM audit_log
                        WHERE \(condition) AND at < $1 AND link < (
                            SELECT link FROM audit_log WHERE link IS NOT NULL ORDER BY link DESC LIMIT 1)
                        ORDER BY at LIMIT $2
                        """, .integer((now + (.zero - age)).milliseconds), .integer(Int64(batch))
                    ).map { row in
                        (
                            sequence: try row.get("sequence") as Int64,
                            link: AuditLink(number: try row.get("link"), chain: try row.get("chain"))
                        )
                    }
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
                try transaction.execute(
                    "DELETE FROM audit_log WHERE sequence = $1 AND link = $2", .integer(sequence),
                    .integer(link.number))
                guard transaction.changes == 1 else { throw DeletedElsewhere() }
            }
            for cut in AuditCut.cuts(deleting: old.map(\.link)) { try insert(cut, transaction) }
        }
    }

    private func insert(_ cut: AuditCut, _ transaction: borrowing SQLTransaction) throws {
        let neighbours = try transaction.rows(
            "SELECT first_link, sealed_end FROM audit_cuts WHERE last_link = $1 OR first_link = $2",
            .integer(cut.first - 1), .integer(cut.end.number + 1)
        ).map { try self.cut($0) }
        let joined = cut.joined(
            before: neighbours.first { $0.first < cut.first }, after: neighbours.first { $0.first > cut.first })
        try transaction.execute(
            "DELETE FROM audit_cuts WHERE first_link >= $1 AND first_link <= $2", .integer(joined.first),
            .integer(joined.end.number))
        // Anchors inside a cut are not needed any more.
        try transaction.execute(
            "DELETE FROM audit_anchors WHERE link >= $1 AND link <= $2", .integer(joined.first),
            .integer(joined.end.number))
        try transaction.execute(
            "INSERT INTO audit_cuts (first_link, last_link, sealed_end) VALUES ($1, $2, $3)",
            .integer(joined.first), .integer(joined.end.number),
            .blob(
                try sealingKeys.seal(joined.record, binding: Self.sealedCut.binding(.integer(joined.first)))))
    }

    /// A cut that was made with the master key.
    /// - Throws: `CryptoError.authenticationFailed`, `AuditError.missing`.
    func cut(_ row: SQLRow) throws -> AuditCut {
        let first: Int64 = try row.get("first_link")
        let record = try sealingKeys.open(
            try row.get("sealed_end"), binding: Self.sealedCut.binding(.integer(first)))
        guard let cut = AuditCut(first: first, record: record) else { throw AuditError.missing(link: first) }
        return cut
    }
}

/// Rolls back a transaction whose rows another process has deleted meanwhile.
private struct DeletedElsewhere: Error {}

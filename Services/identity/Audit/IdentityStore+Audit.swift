import Contracts
import Crypto
import MasterKey
import SQL
import Vocabulary

// The audit log is written in three steps. The row of an action is inserted in the transaction of its change, and
// touches no other row. A second later it is linked into the chain: only `link` and `chain` of a row are ever updated,
// and only once. The same transaction seals the end of the chain under the master key: the anchor. Every minute it is
// fixed and logged (`IdentityStore+AuditAnchors.swift`).

extension SQLTransaction {
    /// Appends to the audit log, in the transaction of the change. Errors are counted first, and become a row when
    /// their minute is over.
    borrowing func append(_ entry: AuditEntry) throws {
        switch entry.outcome {
        case .succeeded: try executeLater(AuditLogTable.insertion, entry.record.columns)
        case .refused, .rateLimited: try countRefusal(entry.record)
        }
    }

}

extension IdentityStore {
    func audit(_ entry: AuditEntry) async throws {
        try await write { transaction in try transaction.append(entry) }
    }

    /// Links the new rows. Any number of processes may do so: each link is made once.
    /// - Parameter batch: rows of one transaction.
    func linkAudit(batch: Int = 500) async throws {
        // Read in a transaction of its own: a transaction that reads rows without a link and writes would conflict with
        // those that insert rows.
        guard try await read({ try $0.firstRow(AuditLogTable.unlinked, [:], 1) }) != nil else { return }
        var unlinked: [Identity.AuditLogRecord]
        repeat {
            // A batch takes too long for the thread of the requests.
            unlinked = try await database.longRead { transaction in
                try transaction.rows(AuditLogTable.unlinked, [:], batch)
                    .map { try Identity.AuditLogRecord($0) }
            }
            guard !unlinked.isEmpty else { return }
            do {
                try await link(unlinked)
            } catch is ConcurrentLinkError {
                // Another process was faster: its links stay, and the next call finds the remaining rows.
                return
            }
        } while unlinked.count == batch
    }

    private func link(_ unlinked: [Identity.AuditLogRecord]) async throws {
        let known = try await knownAuditEnd()
        let kept = try await write { [self] transaction in
            let former = try transaction.lastAuditLink()
            var last = former
            for record in unlinked {
                last = last.next(record)
                try transaction.execute(
                    AuditLogTable.linking, [.sequence: record.sequence, .link: last.number, .chain: last.chain])
                guard transaction.changes == 1 else { throw ConcurrentLinkError() }
            }
            return try anchor(last, after: former, known: known, at: unlinked.last?.at, transaction)
        }
        if let kept { try await keep(kept) }
    }

    /// Verifies the complete log against its links, and the links against the anchors. Rows without a link are not
    /// verified.
    /// - Parameter now: nil for no check of the age of the last anchor.
    /// - Returns: the last link.
    /// - Throws: `AuditError` for the first violation; `CryptoError.authenticationFailed` for a forged anchor.
    func verifyAudit(batch: Int = 1000, at now: Moment? = nil) async throws -> AuditLink {
        var last = AuditLink.origin
        while true {
            let verification = try await verifyAudit(after: last, count: batch, at: now)
            switch verification.end {
            case .reached: return verification.last
            case .notReached: last = verification.last
            case .violated(let fault): throw fault
            case .unreadable: throw CryptoError.authenticationFailed
            }
        }
    }

    /// The result of a partial verification.
    struct PartialVerification: Sendable {
        enum End: Equatable, Sendable {
            /// Every link is valid.
            case reached
            case notReached
            case violated(AuditError)
            /// A sealed anchor or cut is forged, or sealed under an unknown master key.
            case unreadable
        }

        /// The last valid link.
        var last: AuditLink
        var end: End
    }

    /// Verifies the next rows.
    /// - Parameters:
    ///   - start: the last link that is known to be valid.
    ///   - count: rows at most, at least 1.
    ///   - now: nil for no check of the age of the last anchor.
    func verifyAudit(after start: AuditLink, count: Int, at now: Moment? = nil) async throws -> PartialVerification {
        let note = try await database.note()
        return try await database.longRead { [self] transaction in
            var verification = AuditVerifier(after: start)
            do {
                try check(&verification, count: count, in: transaction)
                if verification.last == start { try checkEnd(verification, note, at: now, in: transaction) }
            } catch let fault as AuditError {
                return PartialVerification(last: verification.last, end: .violated(fault))
            } catch CryptoError.authenticationFailed {
                return PartialVerification(last: verification.last, end: .unreadable)
            }
            return PartialVerification(
                last: verification.last, end: verification.last == start ? .reached : .notReached)
        }
    }

    private func check(
        _ verification: inout AuditVerifier, count: Int, in transaction: borrowing SQLTransaction
    ) throws {
        let before = verification.last.number
        let rows = try transaction.rows(AuditLogTable.linked, [:], before, count)
        let end: Int64 = try rows.count == count ? rows.last?.get(.link) ?? .max : .max
        var anchors = try transaction.rows(AuditAnchorTable.between, [:], before, end).map { row in
            let link: Int64 = try row.get(.link)
            return try self.anchor(link, try row.get(.sealedChain))
        }[...]
        var previous: Int64 =
            try transaction.firstRow(AuditAnchorTable.lastUpTo, [:], before)?.get(.link) ?? AuditAnchor.none
        let cuts = try transaction.rows(AuditCutTable.between, [:], before, end).reduce(into: [Int64: AuditCut]()) {
            cuts, row in
            let cut = try self.cut(row)
            cuts[cut.first] = cut
        }
        for row in rows {
            let link = try AuditLink(row)
            if let cut = cuts[verification.last.number.addingSaturated(1)] { verification.skip(cut) }
            try verification.check(Identity.AuditLogRecord(row), at: link)
            if anchors.first?.link.number == link.number, let anchor = anchors.popFirst() {
                try verification.check(anchor, after: previous)
                previous = link.number
            }
        }
        if let anchor = anchors.first { try verification.check(anchor.link) }
    }

    /// Records for the operator, newest first.
    func auditRecords(_ request: Identity.ListAuditRecords) async throws -> [Identity.AuditLogRecord] {
        let filters: [(column: AuditLogTable, value: String?)] = [
            (.project, request.project?.rawValue), (.tenant, request.tenant),
            (.accountID, request.accountID?.rawValue), (.actor, request.actor), (.action, request.action),
        ]
        let given = filters.filter { $0.value != nil }
        let start: SQLRecord<AuditLogTable> = [.sequence: request.before ?? .max]
        let record = given.reduce(start) { record, filter in record + [filter.column: filter.value] }
        let statement = AuditLogTable.listing(
            given.map(\.column), index: AuditIndex(actor: request.actor, action: request.action))
        return try await database.longRead { transaction in
            try transaction.rows(statement, record, request.limit).map { try Identity.AuditLogRecord($0) }
        }
    }

    /// Linked records for the operator, in the order of their links.
    /// - Throws: `CryptoError.authenticationFailed` for a forged cut.
    func linkedAuditRecords(after start: Int64, count: Int) async throws -> [Identity.LinkedAuditRecord] {
        try await database.longRead { [self] transaction in
            let rows = try transaction.rows(AuditLogTable.linked, [:], start, count)
            let end: Int64 = try rows.last?.get(.link) ?? start
            let cutEnds = try transaction.rows(AuditCutTable.between, [:], start, end).reduce(into: [Int64: [UInt8]]())
            {
                ends, row in
                let cut = try self.cut(row)
                ends[cut.end.number.addingSaturated(1)] = cut.end.chain
            }
            return try rows.map { row in
                let link = try AuditLink(row)
                return Identity.LinkedAuditRecord(
                    link: link.number, chain: Base64URL.encode(link.chain),
                    chainBefore: cutEnds[link.number].map { Base64URL.encode($0) },
                    record: try Identity.AuditLogRecord(row))
            }
        }
    }
}

/// Rolls back a transaction whose rows another process has linked meanwhile.
private struct ConcurrentLinkError: Error {}

extension SQLTransaction {
    borrowing func lastAuditLink() throws -> AuditLink {
        try firstRow(AuditLogTable.lastLink).map { try AuditLink($0) } ?? .origin
    }
}

extension AuditEntry {
    var record: Identity.AuditLogRecord {
        Identity.AuditLogRecord(
            at: at, project: realm.project.rawValue, tenant: realm.tenantColumn, action: action.rawValue,
            outcome: outcome.rawValue, actor: actor.text, accountID: accountID?.rawValue, ipAddress: ipAddress,
            traceID: traceID)
    }
}

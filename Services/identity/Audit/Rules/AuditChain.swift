import Contracts
import Crypto
import Vocabulary

/// The position of a record in the chain of the audit log (security rule AU2): the change, the removal or the
/// reordering of a record invalidates its link and every later one.
///
/// Records are inserted without a link, so that no write waits for another. A moment later they are linked in one
/// order.
struct AuditLink: Equatable, Sendable {
    /// 1 for the first record, one more for each that follows.
    var number: Int64
    /// SHA-256 over the previous link and the record.
    var chain: [UInt8]

    /// The predecessor of the first link.
    static let origin = AuditLink(number: 0, chain: [])

    func next(_ record: Identity.AuditLogRecord) -> AuditLink {
        let fields =
            [
                String(record.at.milliseconds), record.project, record.tenant, record.action, record.outcome,
                record.actor,
                record.accountID ?? "", record.ipAddress ?? "", record.traceID,
            ] + (record.count.map { [String($0)] } ?? [])
        // Each field with its length, so that different records have different encodings.
        let bytes = chain + fields.flatMap { Array("\($0.utf8.count):\($0),".utf8) }
        return AuditLink(number: number.addingSaturated(1), chain: SHA2.sha256(bytes))
    }
}

/// A violation of an audit log.
enum AuditError: Error, Equatable, Sendable {
    /// The record of this link is missing.
    case missing(link: Int64)
    /// This record is not the one that was linked, or is at another position.
    case altered(link: Int64)
    /// The whole chain up to here was replaced: it does not match its anchor.
    case rewritten(link: Int64)
    /// The log has records up to this link, or an anchor names it, and there is no anchor.
    case missingAnchor(link: Int64)
    /// The last anchor, of this link, was not confirmed for some time.
    case outdatedAnchor(link: Int64)
}

/// Verifies an audit log, link by link from the first.
struct AuditVerifier: Equatable, Sendable {
    /// The last valid link.
    private(set) var last: AuditLink

    /// - Parameter last: a link that was verified before.
    init(after last: AuditLink = .origin) {
        self.last = last
    }

    mutating func check(_ record: Identity.AuditLogRecord, at link: AuditLink) throws(AuditError) {
        let expected = last.next(record)
        guard link.number == expected.number else { throw .missing(link: expected.number) }
        guard constantTimeEquals(link.chain, expected.chain) else { throw .altered(link: link.number) }
        last = link
    }

    /// Continues after deleted records, if they begin here.
    mutating func skip(_ cut: AuditCut) {
        if cut.first == last.number + 1 { last = cut.end }
    }

    /// - Parameter previous: the number of the link of the anchor before; `AuditAnchor.none` for none.
    func check(_ anchor: AuditAnchor, after previous: Int64) throws(AuditError) {
        try check(anchor.link)
        if let seal = anchor.seal, seal.previous != previous { throw .missingAnchor(link: seal.previous) }
    }

    /// Checks the end of a log that was verified up to its last link.
    /// - Parameter now: nil for no check of the age.
    func checkEnd(_ anchor: AuditAnchor?, at now: Moment?) throws(AuditError) {
        guard let anchor else { throw .missingAnchor(link: last.number) }
        try check(anchor.link)
        guard anchor.link.number == last.number, anchor.seal != nil else { throw .missingAnchor(link: last.number) }
        if let now, anchor.isOutdated(at: now) { throw .outdatedAnchor(link: anchor.link.number) }
    }

    /// - Parameter anchor: a copy of the last link that a writer of the log cannot forge.
    func check(_ anchor: AuditLink) throws(AuditError) {
        guard anchor.number <= last.number else { throw .missing(link: last.number + 1) }
        guard anchor.number != last.number || constantTimeEquals(anchor.chain, last.chain) else {
            throw .rewritten(link: anchor.number)
        }
    }
}

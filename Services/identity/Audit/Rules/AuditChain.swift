import Crypto
import Vocabulary

/// An audit entry as its row holds it, whichever version of the program wrote it.
struct AuditRecord: Equatable, Sendable {
    var at: Moment
    var project: String
    /// Empty for a project's own users.
    var tenant: String
    var action: String
    var outcome: String
    var actor: String
    var accountID: String?
    var ipAddress: String?
    var traceID: String
    /// Refusals of one minute that this record stands for; nil for one act, and for refusals of former versions.
    var count: Int?
}

/// The place of a record in the chain that binds the audit log together (security rule AU2): who edits, removes or
/// reorders a record breaks its link and every later one.
///
/// Records are written without a link, so that no write waits for another, and linked a moment later, in one order for
/// all.
struct AuditLink: Equatable, Sendable {
    /// 1 for the first record, one more for each that follows.
    var number: Int64
    /// SHA-256 over the link before and the record.
    var chain: [UInt8]

    /// What the first link follows.
    static let origin = AuditLink(number: 0, chain: [])

    func next(_ record: AuditRecord) -> AuditLink {
        let fields =
            [
                String(record.at.milliseconds), record.project, record.tenant, record.action, record.outcome,
                record.actor,
                record.accountID ?? "", record.ipAddress ?? "", record.traceID,
            ] + (record.count.map { [String($0)] } ?? [])
        // Each field with its length, so that no two records read the same.
        let bytes = chain + fields.flatMap { Array("\($0.utf8.count):\($0),".utf8) }
        return AuditLink(number: number.addingSaturated(1), chain: SHA2.sha256(bytes))
    }
}

/// What is wrong with an audit log.
enum AuditError: Error, Equatable, Sendable {
    /// The record of this link is gone.
    case missing(link: Int64)
    /// This record is not the one that was linked, or does not stand where it stood.
    case altered(link: Int64)
    /// The whole chain up to here was written anew: it does not match the anchor that was taken of it.
    case rewritten(link: Int64)
}

/// Checks an audit log, link by link from the first.
struct AuditVerifier: Equatable, Sendable {
    /// The last link that was found good.
    private(set) var last: AuditLink

    /// - Parameter last: a link that was found good before.
    init(after last: AuditLink = .origin) {
        self.last = last
    }

    mutating func check(_ record: AuditRecord, at link: AuditLink) throws(AuditError) {
        let expected = last.next(record)
        guard link.number == expected.number else { throw .missing(link: expected.number) }
        guard constantTimeEquals(link.chain, expected.chain) else { throw .altered(link: link.number) }
        last = link
    }

    /// Goes on behind deleted records, if they begin here.
    mutating func skip(_ cut: AuditCut) {
        if cut.first == last.number + 1 { last = cut.end }
    }

    /// - Parameter anchor: a copy of the last link that was kept where the log cannot be written from.
    func check(_ anchor: AuditLink) throws(AuditError) {
        guard anchor.number <= last.number else { throw .missing(link: last.number + 1) }
        guard anchor.number != last.number || constantTimeEquals(anchor.chain, last.chain) else {
            throw .rewritten(link: anchor.number)
        }
    }
}

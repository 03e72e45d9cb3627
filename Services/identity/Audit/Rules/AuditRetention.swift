import Vocabulary

/// How long the audit log keeps its rows (security rule AU3).
package struct AuditRetention: Equatable, Sendable {
    /// Of what was done.
    package var acts: Duration
    /// Of what was refused, or turned away by a limit.
    package var refusals: Duration

    package init(acts: Duration, refusals: Duration) {
        self.acts = acts
        self.refusals = refusals
    }

    package static let standard = AuditRetention(acts: .seconds(400 * 86_400), refusals: .seconds(30 * 86_400))
}

/// Where rows were deleted from the audit log. The chain goes on behind a cut from a copy of its last link, which only the
/// holder of the master key can make: other rows that are missing are found.
struct AuditCut: Equatable, Sendable {
    /// The number of the first link that was deleted.
    var first: Int64
    /// The last one.
    var end: AuditLink

    /// What stands sealed in the row of a cut: the number of its last link, and the link.
    var record: [UInt8] { withUnsafeBytes(of: end.number.bigEndian, Array.init) + end.chain }

    init(first: Int64, end: AuditLink) {
        self.first = first
        self.end = end
    }

    /// - Returns: nil for a record that is none.
    init?(first: Int64, record: [UInt8]) {
        guard record.count > 8 else { return nil }
        let number = Int64(bitPattern: record.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        guard number >= first else { return nil }
        self.init(first: first, end: AuditLink(number: number, chain: Array(record.dropFirst(8))))
    }

    /// The cuts that deleting `links` makes: one for each run of them without a gap.
    static func cuts(deleting links: [AuditLink]) -> [AuditCut] {
        links.sorted { $0.number < $1.number }.reduce(into: []) { cuts, link in
            if let last = cuts.last, last.end.number.addingSaturated(1) == link.number {
                cuts[cuts.count - 1].end = link
            } else {
                cuts.append(AuditCut(first: link.number, end: link))
            }
        }
    }

    /// This cut together with its neighbours, as far as no link stands between them.
    func joined(before: AuditCut?, after: AuditCut?) -> AuditCut {
        var cut = self
        if let before, before.end.number.addingSaturated(1) == first { cut.first = before.first }
        if let after, end.number.addingSaturated(1) == after.first { cut.end = after.end }
        return cut
    }
}

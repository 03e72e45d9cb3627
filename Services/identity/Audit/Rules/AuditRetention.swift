import Vocabulary

/// How long the audit log keeps its rows (security rule AU3).
package struct AuditRetention: Equatable, Sendable {
    /// The retention of successful actions.
    package var acts: Duration
    /// The retention of refused actions, including those above a limit.
    package var refusals: Duration

    package static let standard = AuditRetention(acts: .seconds(400 * 86_400), refusals: .seconds(30 * 86_400))
}

/// A range of deleted rows of the audit log. The chain continues after a cut from a sealed copy of its last link, which
/// only the holder of the master key can make. Other missing rows are detected.
struct AuditCut: Equatable, Sendable {
    /// The number of the first link that was deleted.
    var first: Int64
    /// The last one.
    var end: AuditLink

    /// The sealed content of a cut: the number of its last link, and the link.
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

    /// The cuts for the deletion of `links`: one for each range without a gap.
    static func cuts(deleting links: [AuditLink]) -> [AuditCut] {
        links.sorted { $0.number < $1.number }.reduce(into: []) { cuts, link in
            if let last = cuts.last, last.end.number.addingSaturated(1) == link.number {
                cuts[cuts.count - 1].end = link
            } else {
                cuts.append(AuditCut(first: link.number, end: link))
            }
        }
    }

    /// This cut merged with the adjacent ones.
    func joined(before: AuditCut?, after: AuditCut?) -> AuditCut {
        var cut = self
        if let before, before.end.number.addingSaturated(1) == first { cut.first = before.first }
        if let after, end.number.addingSaturated(1) == after.first { cut.end = after.end }
        return cut
    }
}

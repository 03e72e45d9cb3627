import Contracts
import Vocabulary

/// A line `audit.anchored` of the log, as text or JSON: the end of the audit log at that time. The log is usually kept on
/// another machine, where a writer of the database cannot change it.
struct AnchorLine: Equatable {
    let link: Int64
    /// 64 hexadecimal digits.
    let chain: String

    enum Comparison: Equatable {
        case equal
        /// The audit log ends before the link.
        case missing
        case different
        /// The record is gone, and a sealed cut covers it.
        case deleted
    }

    /// - Returns: nil for another line.
    init?(_ line: String) {
        guard line.utf8.count <= 10_000, line.contains("audit.anchored"),
            let link = line.firstMatch(of: /\blink(?:=|": ?)([0-9]{1,18})\b/).flatMap({ Int64($0.1) }), link > 0,
            let digits = line.firstMatch(of: /\bchain(?:=|": ?")([0-9a-f]{64})\b/)?.1
        else { return nil }
        self.link = link
        chain = String(digits)
    }

    /// - Parameter record: the first one at or behind the link.
    func comparison(with record: Identity.LinkedAuditRecord?) -> Comparison {
        guard let record else { return .missing }
        func isEqual(_ text: String) -> Bool { Base64URL.decode(text)?.hexadecimal == chain }
        if record.link == link { return isEqual(record.chain) ? .equal : .different }
        guard let before = record.chainBefore else { return .missing }
        guard record.link == link + 1 else { return .deleted }
        return isEqual(before) ? .equal : .different
    }
}

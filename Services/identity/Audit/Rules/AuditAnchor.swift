import Crypto
import Vocabulary

/// A copy of an end of the chain that only the holder of the master key can make.
///
/// The last anchor is the end of the chain: the transaction that links records moves it. Once a minute it is fixed, and the
/// next links begin another one. Each anchor names the one before it. So a log without its tail, with or without the
/// anchors of the tail, does not end where the last anchor says, or an anchor names one that is missing. A log without
/// records has an anchor, too: a log without any was tampered with.
struct AuditAnchor: Equatable, Sendable {
    /// What anchors of earlier versions do not have.
    struct Seal: Equatable, Sendable {
        /// When it was confirmed that the chain ends here; at first the time of its last record.
        var at: Moment
        /// The number of the link of the anchor before this one; `none` for the first.
        var previous: Int64
    }

    var link: AuditLink
    var seal: Seal?

    /// In place of the number of a link.
    static let none: Int64 = -1
    /// Identity confirms its last anchor once a minute.
    static let maximumAge = Duration.seconds(5 * 60)

    init(link: AuditLink, seal: Seal?) {
        self.link = link
        self.seal = seal
    }

    /// The sealed content without the number, to which the record is bound.
    var record: [UInt8] {
        (link == .origin ? Self.originChain : link.chain)
            + (seal.map { Self.bytes($0.at.milliseconds) + Self.bytes($0.previous) } ?? [])
    }

    private static let chainBytes = 32
    private static let originChain = [UInt8](repeating: 0, count: chainBytes)

    /// - Returns: nil for a record that is none.
    init?(number: Int64, record: [UInt8]) {
        let (chain, rest) = (Array(record.prefix(Self.chainBytes)), record.dropFirst(Self.chainBytes))
        guard chain.count == Self.chainBytes else { return nil }
        link = number == AuditLink.origin.number ? .origin : AuditLink(number: number, chain: chain)
        switch rest.count {
        case 0: seal = nil
        case 16:
            seal = Seal(
                at: Moment(milliseconds: Self.number(rest.prefix(8))), previous: Self.number(rest.dropFirst(8)))
        default: return nil  // No version wrote another length.
        }
    }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Whether it was made too long ago for a log that is in use. One of the future was made by a clock that was ahead.
    func isOutdated(at now: Moment) -> Bool { seal.map { $0.at + Self.maximumAge < now } ?? true }
}

/// The end of a log before it grows, as its parts say.
struct AuditEnd: Equatable, Sendable {
    /// The last link of the table.
    var link: AuditLink
    var anchor: AuditAnchor?
    /// What this process, or the one before it, has seen.
    var known: AuditLink?

    /// Whether nothing is missing and nothing was added.
    var isIntact: Bool {
        guard let anchor, anchor.link == link, anchor.seal != nil else { return false }
        guard let known else { return true }
        return known.number < link.number || known == link
    }

    /// The anchor of a chain that grew.
    /// - Parameters:
    ///   - isMoving: the last anchor is moved; otherwise it stays, and another one follows.
    ///   - time: of the last record.
    /// - Returns: nil when the last anchor shows a violation that another one would hide.
    func anchor(of end: AuditLink, isMoving: Bool, at time: Moment) -> AuditAnchor? {
        guard isIntact else {
            let last = anchor?.link.number ?? AuditAnchor.none
            guard end.number > last else { return nil }
            // It names an anchor that is missing, or one that does not match: the violation stays visible.
            let previous =
                if let known, known.number > link.number { known.number } else { max(last, link.number) }
            return AuditAnchor(link: end, seal: .init(at: time, previous: previous))
        }
        let previous = isMoving ? anchor?.seal?.previous : anchor?.link.number
        // A record may be written late.
        let at = max(time, anchor?.seal?.at ?? time)
        return AuditAnchor(link: end, seal: .init(at: at, previous: previous ?? AuditAnchor.none))
    }
}

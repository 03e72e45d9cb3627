import Bus

/// Payloads over which workers crashed: blocked ones are refused everywhere for a while, and suspected ones get a
/// second chance.
///
/// Bounded: beyond the limit, the entry that expires first is removed for a new one.
struct PayloadBlocks: Sendable {
    typealias Instant = ContinuousClock.Instant

    private enum State {
        /// One of several requests that a worker had when it crashed.
        case suspected
        case blocked
    }

    private struct Entry {
        var state: State
        var until: Instant
    }

    private let limit: Int
    private var entries: [PayloadDigest: Entry] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    var blockedCount: Int { entries.values.count { $0.state == .blocked } }

    /// The remaining time for which this payload is blocked; nil if it is not.
    func remaining(_ payload: PayloadDigest, at now: Instant) -> Duration? {
        // The usual case, checked for every request.
        if entries.isEmpty { return nil }
        guard let entry = entries[payload], entry.state == .blocked, now < entry.until else { return nil }
        return now.duration(to: entry.until)
    }

    func isSuspected(_ payload: PayloadDigest, at now: Instant) -> Bool {
        guard let entry = entries[payload] else { return false }
        return entry.state == .suspected && now < entry.until
    }

    mutating func suspect(_ payload: PayloadDigest, until: Instant) {
        guard entries[payload]?.state != .blocked else { return }
        insert(payload, Entry(state: .suspected, until: until))
    }

    /// - Returns: whether it was not blocked before.
    mutating func block(_ payload: PayloadDigest, until: Instant, at now: Instant) -> Bool {
        let isNew = remaining(payload, at: now) == nil
        if isNew { insert(payload, Entry(state: .blocked, until: until)) }
        return isNew
    }

    /// A worker replied to it and survived.
    mutating func recordSuccess(_ payload: PayloadDigest) {
        if entries.isEmpty { return }
        if entries[payload]?.state == .suspected { entries[payload] = nil }
    }

    mutating func expire(at now: Instant) {
        if entries.isEmpty { return }
        entries = entries.filter { now < $0.value.until }
    }

    private mutating func insert(_ payload: PayloadDigest, _ entry: Entry) {
        if entries.count >= limit, entries[payload] == nil,
            let oldest = entries.min(by: { $0.value.until < $1.value.until })
        {
            entries[oldest.key] = nil
        }
        entries[payload] = entry
    }
}

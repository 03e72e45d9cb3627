package import Vocabulary

/// Values of realms that are read elsewhere, kept for `timeToLive` by the steady clock. It is a value: it receives the
/// time, and its owner reads.
package struct RealmCache<Value: Sendable>: Sendable {
    /// A change takes effect with its event, or after this time.
    package static var timeToLive: Duration { .seconds(1) }
    /// Unauthenticated callers name realms: the cache is emptied so that it cannot grow without bound.
    package static var maximumEntries: Int { 1000 }

    /// The beginning of a read.
    package struct Read: Sendable {
        fileprivate let startedAt: ContinuousClock.Instant
        fileprivate let invalidationCount: Int
    }

    private struct Entry {
        var value: Value
        var readAt: ContinuousClock.Instant
    }

    private var entries: [Realm: Entry] = [:]
    private var invalidationCount = 0

    package init() {}

    /// Nil when the value of the realm must be read.
    package func value(of realm: Realm, at instant: ContinuousClock.Instant) -> Value? {
        entries[realm].flatMap { instant < $0.readAt + Self.timeToLive ? $0.value : nil }
    }

    /// Call it before a value is read, and `insert` with its result after that.
    package func startRead(at instant: ContinuousClock.Instant) -> Read {
        Read(startedAt: instant, invalidationCount: invalidationCount)
    }

    /// Does nothing after an invalidation during the read: the value may be older than the change.
    package mutating func insert(_ value: Value, of realm: Realm, from read: Read) {
        guard read.invalidationCount == invalidationCount else { return }
        if entries.count >= Self.maximumEntries { entries.removeAll() }
        entries[realm] = Entry(value: value, readAt: read.startedAt)
    }

    /// Tenants inherit from their project, so a change of a project or of a tenant concerns all its realms.
    package mutating func invalidate(_ project: ProjectID) {
        entries = entries.filter { $0.key.project != project }
        invalidationCount += 1
    }
}

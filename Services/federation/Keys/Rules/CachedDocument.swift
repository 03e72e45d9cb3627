/// One published document of a provider, such as its key set, in the cache. A value: it decides when to fetch again
/// (security rule FE7). Its times are of the steady clock.
struct CachedDocument<Document: Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// A document with the time until which it is fresh.
    struct Version: Sendable {
        let document: Document
        let fetchedAt: Instant
        let freshUntil: Instant
        let usableUntil: Instant
    }

    enum Decision: Sendable {
        case use(Version)
        /// Fetch it. If that fails, use the older version.
        case fetch(orUse: Version?)
    }

    static var freshness: ClosedRange<Duration> { .seconds(300)...(.seconds(86_400)) }
    /// For a response without `max-age`.
    static var standardFreshness: Duration { .seconds(3600) }
    /// How long an outdated document is used while it cannot be fetched.
    static var retention: Duration { .seconds(86_400) }
    /// The minimum time between two fetches of a document that is there.
    static var refreshInterval: Duration { .seconds(60) }
    /// The same after a fetch that failed: its answer says nothing about the document.
    static var repetitionInterval: Duration { .seconds(5) }

    private(set) var version: Version?
    /// No fetch begins before.
    private var nextRefreshAt: Instant?

    /// Decides for a request. After `fetch` the caller reports the result.
    mutating func request(at now: Instant) -> Decision {
        guard let version, now < version.usableUntil else { return .fetch(orUse: nil) }
        guard now >= version.freshUntil, acquireRefresh(at: now) else { return .use(version) }
        return .fetch(orUse: version)
    }

    /// Decides for a request that the document does not serve, such as a token with an unknown key.
    /// - Returns: whether to fetch it.
    mutating func requestNewer(at now: Instant) -> Bool { acquireRefresh(at: now) }

    private mutating func acquireRefresh(at now: Instant) -> Bool {
        if let nextRefreshAt, now < nextRefreshAt { return false }
        nextRefreshAt = now + Self.refreshInterval
        return true
    }

    /// Records a fetch without a usable answer.
    mutating func recordFailure(at now: Instant) {
        let next = now + Self.repetitionInterval
        nextRefreshAt = min(nextRefreshAt ?? next, next)
    }

    /// - Parameter maximumAge: of the response (RFC 9111 5.2.2.1); nil without one.
    mutating func record(_ document: Document, maximumAge: Duration?, at now: Instant) -> Version {
        let freshness = min(
            max(maximumAge ?? Self.standardFreshness, Self.freshness.lowerBound), Self.freshness.upperBound)
        let new = Version(
            document: document, fetchedAt: now, freshUntil: now + freshness,
            usableUntil: now + max(freshness, Self.retention))
        version = new
        return new
    }
}

import Foundation

/// When keys are used and when they are fetched again. It decides; ``TokenVerifier`` fetches.
struct KeyCache: Sendable {
    /// The pause between two fetches. A token can name any key: an attacker must not cause a fetch with each.
    static let minimumFetchInterval: TimeInterval = 10
    /// How long keys are used beyond their lifetime while the server cannot be reached.
    static let maximumOfflineSeconds: TimeInterval = 86_400
    /// The bounds of `max-age`.
    static let lifetimeSeconds: ClosedRange<TimeInterval> = 60...86_400
    private static let defaultLifetimeSeconds: TimeInterval = 3600

    enum Decision {
        case use(RSAPublicKey)
        /// The keys are still valid. A fetch that nothing waits for replaces them in time.
        case useAndFetch(RSAPublicKey)
        /// Only a fetch can show the key.
        case fetch
        case refuse(IDTokenVerificationError)
    }

    private struct Entry {
        var keys: PublishedKeys
        var fetchedAt: Date
        var lifetimeSeconds: TimeInterval
    }

    private var entry: Entry?
    private var lastFetchStartedAt: Date?
    private var didLastFetchFail = false

    /// - Parameter isFetching: whether a fetch is running; a caller that needs one joins it.
    func decision(for keyID: String, at now: Date, isFetching: Bool) -> Decision {
        let canFetch = isFetching || isFetchDue(at: now)
        guard let entry, let age = age(of: entry, at: now) else {
            return canFetch ? .fetch : .refuse(.keysUnavailable)
        }
        guard let key = entry.keys.key(keyID) else { return canFetch ? .fetch : .refuse(.unknownKey) }
        if age < 0.75 * entry.lifetimeSeconds { return .use(key) }
        if age < entry.lifetimeSeconds || didLastFetchFail { return canFetch ? .useAndFetch(key) : .use(key) }
        return .fetch
    }

    /// The key after a fetch, whatever its result was.
    func key(_ keyID: String, at now: Date) throws(IDTokenVerificationError) -> RSAPublicKey {
        guard let entry, age(of: entry, at: now) != nil else { throw .keysUnavailable }
        guard let key = entry.keys.key(keyID) else { throw .unknownKey }
        return key
    }

    /// - Returns: false if the last fetch began less than ``minimumFetchInterval`` ago: two callers decided at once.
    mutating func startFetch(at now: Date) -> Bool {
        guard isFetchDue(at: now) else { return false }
        lastFetchStartedAt = now
        return true
    }

    mutating func fetchFailed() { didLastFetchFail = true }

    /// - Parameter cacheControl: the response header.
    mutating func fetched(_ keys: PublishedKeys, cacheControl: String?, at now: Date) {
        didLastFetchFail = false
        let lifetime = cacheControl.flatMap(Self.maximumAge) ?? Self.defaultLifetimeSeconds
        entry = Entry(
            keys: keys, fetchedAt: now,
            lifetimeSeconds: min(max(lifetime, Self.lifetimeSeconds.lowerBound), Self.lifetimeSeconds.upperBound))
    }

    private func isFetchDue(at now: Date) -> Bool {
        guard let lastFetchStartedAt else { return true }
        let pause = now.timeIntervalSince(lastFetchStartedAt)
        // A negative pause: the clock was set back.
        return pause >= Self.minimumFetchInterval || pause < 0
    }

    /// Seconds; nil if the keys are too old to be used even offline.
    private func age(of entry: Entry, at now: Date) -> TimeInterval? {
        let age = now.timeIntervalSince(entry.fetchedAt)
        // A clock that was set back says nothing about the age.
        if age < 0 { return entry.lifetimeSeconds }
        return age < entry.lifetimeSeconds + Self.maximumOfflineSeconds ? age : nil
    }

    /// The seconds of `max-age` (RFC 9111 section 5.2.2.1).
    private static func maximumAge(_ cacheControl: String) -> TimeInterval? {
        cacheControl.split(separator: ",").lazy.compactMap { directive in
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first, name.lowercased() == "max-age" else { return nil }
            return parts.dropFirst().first.flatMap { Int($0) }.map(TimeInterval.init)
        }.first
    }
}

internal import Contracts
internal import HTTPServer
internal import Vocabulary

/// Requests per minute and client network, by class; a burst may have as many. 0: no limit.
package struct RateLimits: Equatable, Sendable {
    package var signIn: Int
    package var signUp: Int
    package var refresh: Int
    package var other: Int

    func perMinute(_ kind: RateLimitClass) -> Int {
        switch kind {
        case .signIn: signIn
        case .signUp: signUp
        case .refresh: refresh
        case .other: other
        case .exempt: 0
        }
    }
}

/// Token buckets per client network: one IPv4 address, or one IPv6 /64 (security rule RL1, RL8). The gateway owns this
/// value. A flood of addresses evicts the buckets that were idle the longest and uses no more memory.
struct RateLimiter: Sendable {
    enum Decision: Equatable, Sendable {
        case admitted
        /// Seconds until one call would be admitted, at least 1.
        case refused(by: LimitName, retryAfterSeconds: Int)
    }

    private struct Subject: Hashable, Sendable {
        let network: IPAddress
        let kind: RateLimitClass
    }

    private struct Bucket: Sendable {
        var tokens: Double
        var filledAt: ContinuousClock.Instant
    }

    private let limits: RateLimits
    private var buckets: LRUCache<Subject, Bucket>

    /// - Parameter capacity: maximum number of buckets, about 100 bytes each.
    init(limits: RateLimits, capacity: Int = 32_768) {
        self.limits = limits
        buckets = LRUCache(capacity: capacity)
    }

    mutating func admit(
        _ address: IPAddress, as kind: RateLimitClass, at now: ContinuousClock.Instant
    ) -> Decision {
        let limit = Double(limits.perMinute(kind))
        guard limit > 0, let name = kind.limitName else { return .admitted }
        let subject = Subject(network: address.network, kind: kind)
        let perSecond = limit / 60
        var bucket = buckets[subject] ?? Bucket(tokens: limit, filledAt: now)
        bucket.tokens = min(limit, bucket.tokens + max(0, (now - bucket.filledAt) / .seconds(1)) * perSecond)
        bucket.filledAt = now
        defer { buckets.set(bucket, for: subject) }
        guard bucket.tokens >= 1 else {
            let seconds = Int(saturating: ((1 - bucket.tokens) / perSecond).rounded(.up))
            return .refused(by: name, retryAfterSeconds: max(1, seconds))
        }
        bucket.tokens -= 1
        return .admitted
    }
}

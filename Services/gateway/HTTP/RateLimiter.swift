import Contracts
import HTTPServer
import Vocabulary

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

/// Token buckets per client network: one IPv4 address, or one IPv6 /64, and its /48 with `ClientNetwork.siteFactor` times
/// the limit (security rule RL1, RL8). A refused request takes no token of either. The gateway owns this value. A flood of addresses evicts the buckets that were idle the longest and uses no more memory.
struct RateLimiter: Sendable {
    enum Decision: Equatable, Sendable {
        case admitted
        /// Seconds until one call would be admitted, at least 1.
        case refused(by: LimitName, retryAfterSeconds: Int)
    }

    private struct Subject: Hashable, Sendable {
        let network: IPAddress
        let isSite: Bool
        let kind: RateLimitClass
    }

    private struct Bucket: Sendable {
        var tokens: Double
        var filledAt: ContinuousClock.Instant

        /// Seconds until it has a token, at least 1; 0 if it has one.
        func secondsUntilToken(limit: Double) -> Int {
            tokens >= 1 ? 0 : max(1, Int(saturating: ((1 - tokens) * 60 / limit).rounded(.up)))
        }
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
        let burst = Double(limits.perMinute(kind))
        guard burst > 0, let name = kind.limitName else { return .admitted }
        let network = Subject(network: address.network, isSite: false, kind: kind)
        let site = address.site.map { Subject(network: $0, isSite: true, kind: kind) }
        let siteBurst = burst * Double(ClientNetwork.siteFactor)
        let counted = [(network, burst)] + (site.map { [($0, siteBurst)] } ?? [])
        var filled = counted.map { ($0, bucket(of: $0, limit: $1, at: now)) }
        let seconds = zip(counted, filled).map { $1.1.secondsUntilToken(limit: $0.1) }.max() ?? 0
        for index in filled.indices {
            if seconds == 0 { filled[index].1.tokens -= 1 }
            buckets.set(filled[index].1, for: filled[index].0)
        }
        return seconds == 0 ? .admitted : .refused(by: name, retryAfterSeconds: seconds)
    }

    /// Filled up to now.
    private mutating func bucket(of subject: Subject, limit: Double, at now: ContinuousClock.Instant) -> Bucket {
        var bucket = buckets[subject] ?? Bucket(tokens: limit, filledAt: now)
        let perSecond = limit / 60
        bucket.tokens = min(limit, bucket.tokens + max(0, (now - bucket.filledAt) / .seconds(1)) * perSecond)
        bucket.filledAt = now
        return bucket
    }
}

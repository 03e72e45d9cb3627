/// Limits the requests of one kind that are in progress, while the service that serves them is overloaded. So a request
/// that the service would refuse costs it nothing.
///
/// The limit is the number of requests that were in progress when the service last refused one as `overloaded`. It
/// grows by a quarter with each period without such a refusal, so the gateway finds out that the service serves more, and
/// it ends after ten periods.
struct ConcurrencyLimit: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The time after which the limit grows: the wait that services require after `overloaded`.
    static let period = Duration.seconds(1)
    private static let maximumPeriods = 10
    /// Refused clients wait for 1, 2, 3 or 4 seconds, in turn. So they do not all return at the same time.
    static let retryAfterSeconds = 1...4

    enum Decision: Equatable, Sendable {
        /// `end` must follow.
        case admitted
        case refused(retryAfterSeconds: Int)
    }

    /// Admitted requests without a result.
    private(set) var inProgress = 0
    private var overload: (inProgress: Int, at: Instant)?
    private var lastRetryAfterSeconds = 0

    /// The maximum number of requests in progress, at least 1; nil without a limit.
    func maximum(at now: Instant) -> Int? {
        guard let overload else { return nil }
        let periods = (now - overload.at) / Self.period
        guard periods < Double(Self.maximumPeriods) else { return nil }
        return max(1, overload.inProgress) + max(1, overload.inProgress / 4) * max(0, Int(periods))
    }

    mutating func begin(at now: Instant) -> Decision {
        if let maximum = maximum(at: now), inProgress >= maximum {
            lastRetryAfterSeconds = lastRetryAfterSeconds % Self.retryAfterSeconds.upperBound + 1
            return .refused(retryAfterSeconds: lastRetryAfterSeconds)
        }
        inProgress += 1
        return .admitted
    }

    /// An admitted request has its result.
    /// - Parameter isOverloaded: whether the service refused it as `overloaded`.
    mutating func end(isOverloaded: Bool, at now: Instant) {
        inProgress -= 1
        if isOverloaded { overload = (inProgress, now) }
    }
}

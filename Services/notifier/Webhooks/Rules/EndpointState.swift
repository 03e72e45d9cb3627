import Contracts
import Vocabulary

/// The state of one endpoint as seen by one process: attempts in flight, and an outage. Its times are of the steady clock.
struct EndpointState: Equatable, Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Outage: Equatable, Sendable {
        var problem: DeliveryFailure
        /// Consecutive failed probes.
        var failures: Int
        /// The time of the next probe.
        var retryAt: Instant
    }

    /// Maximum concurrent attempts of one process.
    static let maximumInFlight = 8
    /// An outage also begins when this many different events were refused without a delivery between them. Fewer may be
    /// events that the endpoint can never process: those alone must not delay the others.
    static let refusedEventsOfOutage = 5
    private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))

    private(set) var inFlight = 0
    private(set) var outage: Outage?
    /// Until the first delivery one attempt runs at a time, as during an outage.
    private(set) var hasDelivered = false
    private var refusedEvents: Set<AccountEventID> = []

    /// Whether nothing would be lost with this value, except `hasDelivered`.
    var isIdle: Bool { inFlight == 0 && outage == nil && refusedEvents.isEmpty }
    /// Whether an attempt may take the whole timeout.
    var isSlow: Bool { outage != nil || !hasDelivered }

    /// How many more attempts may begin now.
    func availableCapacity(at now: Instant) -> Int {
        if let outage {
            return inFlight == 0 && outage.retryAt <= now ? 1 : 0
        }
        return max(0, (hasDelivered ? Self.maximumInFlight : 1) - inFlight)
    }

    mutating func begin(_ count: Int) {
        inFlight += count
    }

    /// - Parameter jitter: 0 ..< 1.
    mutating func end(_ outcome: WebhookOutcome, of event: AccountEventID, at now: Instant, jitter: Double) {
        inFlight -= 1
        switch outcome {
        case .delivered:
            hasDelivered = true
            outage = nil
            refusedEvents = []
        case .refused(let problem):
            if refusedEvents.count < Self.refusedEventsOfOutage { refusedEvents.insert(event) }
            if outage != nil || refusedEvents.count >= Self.refusedEventsOfOutage {
                recordFailure(problem, nil, at: now, jitter: jitter)
            }
        case .unavailable(let problem, let retryAfter):
            recordFailure(problem, retryAfter, at: now, jitter: jitter)
        // The store stops the deliveries. After a change of the webhook they begin with one attempt.
        case .gone: self = EndpointState(inFlight: inFlight)
        case .interrupted: break
        }
    }

    private mutating func recordFailure(
        _ problem: DeliveryFailure, _ retryAfter: Duration?, at now: Instant, jitter: Double
    ) {
        // Concurrent attempts fail together: they count as one failure.
        let failures = outage.map { now < $0.retryAt ? $0.failures : $0.failures + 1 } ?? 1
        let delay = max(Self.backoff.delay(forAttempt: failures, jitter: jitter), retryAfter ?? .zero)
        outage = Outage(problem: problem, failures: failures, retryAt: now + delay)
    }
}

extension EndpointState {
    private init(inFlight: Int) { self.inFlight = inFlight }
}

/// The endpoints of one process.
struct EndpointStates: Sendable {
    /// Maximum concurrent attempts to all endpoints. A project has its share of them, so that endpoints that answer late
    /// leave room for those of other projects.
    static let maximumInFlight = 32
    /// Attempts that may take the whole timeout get at most these, so that failing endpoints leave room for the others. A
    /// project has its share of them, too.
    static let maximumSlow = 16
    /// Above this number idle states are removed.
    static let maximumIdle = 1000

    private struct Entry {
        var state = EndpointState()
        var project: ProjectID
    }

    private var entries: [WebhookID: Entry] = [:]
    private var shares = ProjectShares(slots: maximumInFlight)

    var inFlight: Int { shares.total }

    /// The number of known endpoints.
    var count: Int { entries.count }

    /// How many attempts to an endpoint may begin now.
    func availableCapacity(of id: WebhookID, _ project: ProjectID, at now: EndpointState.Instant) -> Int {
        let state = entries[id]?.state ?? EndpointState()
        let room = min(state.availableCapacity(at: now), shares.room(for: project))
        guard room > 0, state.isSlow else { return room }
        var (own, others) = (0, 0)
        for entry in entries.values where entry.state.isSlow {
            if entry.project == project { own += entry.state.inFlight } else { others += entry.state.inFlight }
        }
        return min(room, ProjectShares.room(of: Self.maximumSlow, used: own, byOthers: others))
    }

    /// - Parameter count: at most the capacity.
    mutating func begin(_ count: Int, to id: WebhookID, of project: ProjectID) {
        if entries.count >= Self.maximumIdle { entries = entries.filter { !$0.value.state.isIdle } }
        shares.acquire(count, for: project)
        entries[id, default: Entry(project: project)].state.begin(count)
    }

    /// - Returns: the outages before and after.
    mutating func end(
        _ outcome: WebhookOutcome, of event: AccountEventID, to id: WebhookID, at now: EndpointState.Instant,
        jitter: Double
    ) -> (before: EndpointState.Outage?, after: EndpointState.Outage?) {
        guard let entry = entries[id] else { preconditionFailure("ended without a beginning") }
        shares.release(entry.project)
        entries[id]?.state.end(outcome, of: event, at: now, jitter: jitter)
        return (entry.state.outage, entries[id]?.state.outage)
    }
}

package import Vocabulary

/// Who gets rows of an outbox: a mail server, an endpoint, another service.
package protocol DeliveryReceiver: Hashable, Sendable {
    /// The project that the receiver belongs to. The receivers of one project leave room for those of others; nil: the
    /// receiver may use every attempt.
    var project: ProjectID? { get }
}

extension DeliveryReceiver {
    package var project: ProjectID? { nil }
}

/// How many attempts run at the same time, and when a receiver that fails is tried again.
package struct DeliveryLimits: Equatable, Sendable {
    /// The limit of one process.
    package var attempts: Int
    /// To one receiver.
    package var attemptsPerReceiver: Int
    /// To all receivers whose attempts may take the whole timeout, so that they leave room for the others; nil: as many
    /// as to the others.
    package var slowAttempts: Int?
    /// Whether a receiver gets one attempt at a time until the first success, as during an outage.
    package var beginsWithOne = false
    /// An outage also begins when this many different rows were refused without a success between them. Fewer may be
    /// rows that the receiver can never process: those alone must not delay the others. Nil: a refusal is never an
    /// outage.
    package var refusalsOfOutage: Int?
    /// Between the attempts during an outage.
    package var backoff: Backoff
    /// The minimum time between two polls because of new rows: the rows of this time share an attempt.
    package var pace = Duration.zero

    /// - Parameter attemptsPerReceiver: nil: `attempts`.
    package init(attempts: Int, perReceiver attemptsPerReceiver: Int? = nil, backoff: Backoff) {
        self.attempts = attempts
        self.attemptsPerReceiver = attemptsPerReceiver ?? attempts
        self.backoff = backoff
    }
}

/// What an attempt says about its receiver.
package enum ReceiverReport: Equatable, Sendable {
    /// It took the row, or rejected it for good: it works.
    case works
    /// It responded, but did not take this row.
    case refused(reason: String, row: String)
    /// It takes no row at present.
    /// - Parameter retryAfter: what it requested.
    case unavailable(reason: String, retryAfter: Duration? = nil)
    /// It wants no more rows. If it does again, the attempts begin with one.
    case gone
    /// The attempt did not reach it.
    case nothing

    /// The kind of error of an attempt, for its span.
    var error: String? {
        switch self {
        case .works, .nothing: nil
        case .refused: "refused"
        case .unavailable: "unavailable"
        case .gone: "gone"
        }
    }
}

/// One receiver as seen by one process: its attempts in flight, and an outage. Its times are of the steady clock.
package struct ReceiverState: Equatable, Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Outage: Equatable, Sendable {
        package var reason: String
        package var since: Instant
        /// Consecutive failed probes.
        package var failures: Int
        /// The time of the next probe.
        package var retryAt: Instant
    }

    private let limits: DeliveryLimits
    package private(set) var inFlight = 0
    package private(set) var outage: Outage?
    private var hasWorked = false
    private var refusedRows: Set<String> = []

    package init(_ limits: DeliveryLimits) {
        self.limits = limits
    }

    /// Whether nothing would be lost with this value, except that the receiver has worked.
    var isIdle: Bool { inFlight == 0 && outage == nil && refusedRows.isEmpty }

    /// Whether an attempt may take the whole timeout.
    var isSlow: Bool { outage != nil || limits.beginsWithOne && !hasWorked }

    /// How many more attempts may begin now. During an outage it is one probe when its time has come; if it succeeds,
    /// the others follow.
    package func room(at now: Instant) -> Int {
        if let outage { return inFlight == 0 && outage.retryAt <= now ? 1 : 0 }
        return max(0, (isSlow ? 1 : limits.attemptsPerReceiver) - inFlight)
    }

    package mutating func begin() {
        inFlight += 1
    }

    /// - Parameter jitter: 0 ..< 1.
    package mutating func end(_ report: ReceiverReport, at now: Instant, jitter: Double) {
        inFlight -= 1
        switch report {
        case .works:
            hasWorked = true
            outage = nil
            refusedRows = []
        case .refused(let reason, let row):
            guard let count = limits.refusalsOfOutage else { return }
            if refusedRows.count < count { refusedRows.insert(row) }
            if outage != nil || refusedRows.count >= count { fail(reason, nil, at: now, jitter: jitter) }
        case .unavailable(let reason, let retryAfter): fail(reason, retryAfter, at: now, jitter: jitter)
        case .gone:
            let others = inFlight
            self = ReceiverState(limits)
            inFlight = others
        case .nothing: break
        }
    }

    private mutating func fail(_ reason: String, _ retryAfter: Duration?, at now: Instant, jitter: Double) {
        // Concurrent attempts fail together: they count as one failure.
        let failures = outage.map { now < $0.retryAt ? $0.failures : $0.failures + 1 } ?? 1
        let delay = max(limits.backoff.delay(forAttempt: failures, jitter: jitter), retryAfter ?? .zero)
        outage = Outage(reason: reason, since: outage?.since ?? now, failures: failures, retryAt: now + delay)
    }
}

/// What an attempt changed about the outage of its receiver.
package enum OutageChange: Equatable, Sendable {
    case began(ReceiverState.Outage)
    /// For another reason.
    case continues(ReceiverState.Outage)
    case ended(after: Duration)
}

/// The receivers of one process.
package struct ReceiverStates<Receiver: DeliveryReceiver>: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// From this number on idle states are removed.
    static var maximumIdle: Int { 1000 }

    private let limits: DeliveryLimits
    private var states: [Receiver: ReceiverState] = [:]
    private var shares: ProjectShares
    package private(set) var inFlight = 0

    package init(_ limits: DeliveryLimits) {
        self.limits = limits
        shares = ProjectShares(slots: limits.attempts)
    }

    /// The number of known receivers.
    var count: Int { states.count }

    /// Whether an attempt to some receiver may begin now. A receiver that is not known has no outage.
    package func hasRoom(at now: Instant) -> Bool {
        inFlight < limits.attempts && (states.isEmpty || states.values.contains { $0.room(at: now) > 0 })
    }

    /// How many attempts to a receiver may begin now.
    package func room(for receiver: Receiver, at now: Instant) -> Int {
        let state = states[receiver] ?? ReceiverState(limits)
        let room = min(
            state.room(at: now), limits.attempts - inFlight, receiver.project.map(shares.room) ?? limits.attempts)
        guard room > 0, state.isSlow, let slow = limits.slowAttempts else { return room }
        var (own, others) = (0, 0)
        for (other, state) in states where state.isSlow {
            if other.project == receiver.project { own += state.inFlight } else { others += state.inFlight }
        }
        return min(room, ProjectShares.room(of: slow, used: own, byOthers: others))
    }

    /// Begins an attempt. There must be room for it.
    package mutating func begin(_ receiver: Receiver) {
        if states.count >= Self.maximumIdle { states = states.filter { !$0.value.isIdle } }
        if let project = receiver.project { shares.acquire(for: project) }
        states[receiver, default: ReceiverState(limits)].begin()
        inFlight += 1
    }

    /// Ends an attempt that has begun.
    package mutating func end(
        _ receiver: Receiver, _ report: ReceiverReport, at now: Instant, jitter: Double
    ) -> OutageChange? {
        let before = states[receiver]?.outage
        if let project = receiver.project { shares.release(project) }
        states[receiver]?.end(report, at: now, jitter: jitter)
        inFlight -= 1
        return switch (before, states[receiver]?.outage) {
        case (nil, let after?): .began(after)
        case (let before?, let after?): before.reason == after.reason ? nil : .continues(after)
        case (let before?, nil): .ended(after: before.since.duration(to: now))
        case (nil, nil): nil
        }
    }
}

package enum DeliveryLease {
    /// The part of a lease that remains after the longest attempt.
    package static let margin = Duration.seconds(30)
    /// After this time an attempt does not begin any more: its outcome could not be stored within the lease.
    static let longestWait = Duration.seconds(10)
    /// The delays between attempts to store an outcome. Their sum is below `margin`.
    static let recordDelays: [Duration] = [.milliseconds(100), .seconds(1), .seconds(4), .seconds(10)]
}

/// Decides what a process does with an outbox: when it looks for rows, how many it leases for whom, which attempts and
/// records follow, when a receiver is tried again, and how it ends. It does nothing itself: `DeliveryLoop` carries out each
/// action, and gives the result back as an input. Its times are of the steady clock.
package struct DeliveryState<Receiver: DeliveryReceiver, Item: Sendable, Outcome: Sendable>: Sendable {
    package typealias Instant = ContinuousClock.Instant
    /// The number of an attempt, in the order of their beginnings.
    package typealias AttemptID = Int

    package enum Input: Sendable {
        case started
        /// The result of `releaseLeases`, whether it succeeded or not.
        case leasesReleased
        /// Rows were committed, or the time between two polls has passed.
        case woken
        /// The result of `poll`.
        case pollDue
        /// The result of `findReceivers`: those with a row that is due, in the order in which they get their turn.
        case found([Receiver])
        /// The result of `lease`: at most as many as it allows.
        case leased([Item])
        /// The result of `findReceivers` or `lease` when the store fails.
        case storeFailed
        /// The result of `attempt`.
        case attempted(AttemptID, Outcome, ReceiverReport)
        /// The result of `record`.
        case recorded(AttemptID)
        /// The result of `record` when the store fails.
        case recordFailed(AttemptID)
        case stopRequested
        /// The result of `drain`.
        case drainTimePassed
    }

    package enum Action: Sendable {
        /// Releases what ended processes had leased.
        case releaseLeases
        /// Gives `pollDue` after this time.
        case poll(after: Duration)
        /// Looks for receivers with a row that is due.
        case findReceivers
        case lease(Receiver, upTo: Int)
        case attempt(AttemptID, Item)
        /// Stores the outcome of an attempt after this time.
        case record(AttemptID, Item, Outcome, after: Duration)
        /// The outcome could not be stored: the lease ends by itself, and the row is delivered again.
        case abandon
        case report(OutageChange, of: Receiver)
        /// Gives `drainTimePassed` after this time.
        case drain(Duration)
        /// Cancels the attempts in flight and every delay.
        case cancelAll
        case finish
    }

    /// A part of the five seconds that a process has to stop.
    static var drainTime: Duration { .seconds(3) }

    private struct Attempt: Sendable {
        let receiver: Receiver
        let item: Item
        var result: (outcome: Outcome, report: ReceiverReport)?
        var failedRecords = 0
    }

    /// What the store does for the next attempts. It gets one request at a time.
    private enum Request: Sendable {
        case release, find
        case lease(Receiver, others: ArraySlice<Receiver>)
    }

    private let limits: DeliveryLimits
    private var receivers: ReceiverStates<Receiver>
    private var attempts: [AttemptID: Attempt] = [:]
    private var lastID: AttemptID = 0
    private var request: Request?
    /// Whether a `pollDue` follows.
    private var isPollScheduled = false
    /// Whether a poll follows the current request.
    private var isPollWanted = false
    /// The earliest poll because of new rows.
    private var pacedUntil: Instant?
    private var isStopping = false

    package init(_ limits: DeliveryLimits) {
        self.limits = limits
        receivers = ReceiverStates(limits)
    }

    /// The number of attempts that have begun and whose outcomes are not stored.
    package var inFlight: Int { attempts.count }

    /// Whether a row would be delivered at once. False also during an outage of all known receivers.
    package func hasRoom(at now: Instant) -> Bool { receivers.hasRoom(at: now) }

    /// - Parameter jitter: 0 ..< 1.
    package mutating func receive(_ input: Input, at now: Instant, jitter: Double) -> [Action] {
        switch input {
        case .started:
            request = .release
            return [.releaseLeases]
        case .leasesReleased, .storeFailed: return endRequest()
        case .woken: return schedulePoll(after: pacedUntil.map { max(.zero, now.duration(to: $0)) } ?? .zero)
        case .pollDue: return poll(at: now)
        case .found(let receivers): return lease(receivers[...], at: now)
        case .leased(let items): return begin(items, at: now)
        case .attempted(let id, let outcome, let report):
            guard let attempt = attempts[id] else { return [] }
            attempts[id]?.result = (outcome, report)
            return [.record(id, attempt.item, outcome, after: .zero)]
        case .recorded(let id): return end(id, at: now, jitter: jitter)
        case .recordFailed(let id): return retryRecord(id, at: now, jitter: jitter)
        case .stopRequested:
            isStopping = true
            return isDrained ? [.finish] : [.drain(Self.drainTime)]
        case .drainTimePassed: return [.cancelAll]
        }
    }

    private var isDrained: Bool { attempts.isEmpty && request == nil }

    // MARK: Polls and leases

    private mutating func schedulePoll(after delay: Duration) -> [Action] {
        guard !isPollScheduled, !isStopping else { return [] }
        isPollScheduled = true
        return [.poll(after: delay)]
    }

    private mutating func poll(at now: Instant) -> [Action] {
        guard isPollScheduled, !isStopping else { return [] }
        isPollScheduled = false
        guard request == nil else {
            isPollWanted = true
            return []
        }
        // The end of an attempt causes a poll.
        guard attempts.count < limits.attempts else { return [] }
        request = .find
        pacedUntil = now + limits.pace
        return [.findReceivers]
    }

    /// Leases rows for the first of the receivers that may get some now.
    private mutating func lease(_ candidates: ArraySlice<Receiver>, at now: Instant) -> [Action] {
        var rest = candidates
        while !isStopping, let receiver = rest.popFirst() {
            let room = receivers.room(for: receiver, at: now)
            guard room > 0 else { continue }
            request = .lease(receiver, others: rest)
            return [.lease(receiver, upTo: room)]
        }
        return endRequest()
    }

    private mutating func begin(_ items: [Item], at now: Instant) -> [Action] {
        guard case .lease(let receiver, let others)? = request else { return [] }
        var actions: [Action] = []
        for item in items {
            lastID += 1
            receivers.begin(receiver)
            attempts[lastID] = Attempt(receiver: receiver, item: item)
            actions.append(.attempt(lastID, item))
        }
        return actions + lease(others, at: now)
    }

    private mutating func endRequest() -> [Action] {
        let isFirst = if case .release? = request { true } else { false }
        request = nil
        if isStopping { return isDrained ? [.finish] : [] }
        guard isPollWanted || isFirst else { return [] }
        isPollWanted = false
        return schedulePoll(after: .zero)
    }

    // MARK: Outcomes

    private mutating func retryRecord(_ id: AttemptID, at now: Instant, jitter: Double) -> [Action] {
        guard let attempt = attempts[id], let outcome = attempt.result?.outcome else { return [] }
        // A process that stops has no time for another attempt.
        guard !isStopping, attempt.failedRecords < DeliveryLease.recordDelays.count else {
            return [.abandon] + end(id, at: now, jitter: jitter)
        }
        attempts[id]?.failedRecords += 1
        return [.record(id, attempt.item, outcome, after: DeliveryLease.recordDelays[attempt.failedRecords])]
    }

    private mutating func end(_ id: AttemptID, at now: Instant, jitter: Double) -> [Action] {
        guard let attempt = attempts.removeValue(forKey: id), let report = attempt.result?.report else { return [] }
        let change = receivers.end(attempt.receiver, report, at: now, jitter: jitter)
        let actions: [Action] = change.map { [.report($0, of: attempt.receiver)] } ?? []
        if isStopping { return actions + (isDrained ? [.finish] : []) }
        // There is room for another row, and the receiver may have one that waited for this.
        return actions + schedulePoll(after: .zero)
    }
}

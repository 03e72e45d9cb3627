package import Contracts

/// The calls of this process that have no reply yet. It decides which caller gets which result; `BusLoop` owns the
/// sockets and performs it. Every continuation is removed exactly once.
package struct PendingReplies<Continuation: Sendable>: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// A continuation and its error.
    package struct FailedCall: Sendable {
        package var continuation: Continuation
        package var error: ServiceError
    }

    private struct Call {
        var request: BusMessage.Request
        var continuation: Continuation
        /// Whether it may be sent again when a broker is lost.
        var isRetryable: Bool
        var expiresAt: Instant
        /// The broker it was sent to.
        var link: Int?
        /// Since when it waits for a broker.
        var unsentSince: Instant
    }

    private let limit: Int
    private let brokerGrace: Duration
    private var calls: [RequestID: Call] = [:]
    /// Calls without a broker, oldest first. Ids whose call was removed or sent are skipped.
    private var unsent: [RequestID] = []
    private var unsentHead = 0
    /// No call expires earlier.
    private var earliestExpiry: Instant?

    /// - Parameters:
    ///   - limit: further calls are rejected with `overloaded`.
    ///   - brokerGrace: how long a call waits for a broker before it is rejected with `unavailable`.
    package init(limit: Int, brokerGrace: Duration) {
        self.limit = limit
        self.brokerGrace = brokerGrace
    }

    /// Calls that have no reply yet.
    package var count: Int { calls.count }
    package var isEmpty: Bool { calls.isEmpty }

    /// Adds a call, which first waits for a broker.
    /// - Returns: the error if there is no room, or the id is in use.
    package mutating func insert(
        _ request: BusMessage.Request, continuation: Continuation, isRetryable: Bool, expiresAt: Instant,
        at now: Instant
    ) -> FailedCall? {
        guard calls.count < limit else {
            return FailedCall(continuation: continuation, error: .overloaded)
        }
        guard calls[request.id] == nil else {
            return FailedCall(
                continuation: continuation, error: ServiceError(.invalidRequest, "the request id is in use"))
        }
        calls[request.id] = Call(
            request: request, continuation: continuation, isRetryable: isRetryable, expiresAt: expiresAt,
            unsentSince: now)
        unsent.append(request.id)
        earliestExpiry = min(earliestExpiry ?? expiresAt, expiresAt)
        return nil
    }

    /// The oldest call that waits for a broker.
    package mutating func nextUnsent() -> BusMessage.Request? {
        while unsentHead < unsent.count {
            if let call = calls[unsent[unsentHead]], call.link == nil { return call.request }
            unsentHead += 1
            if unsentHead == limit {  // Releases the processed part, also while the queue never becomes empty.
                unsent.removeFirst(unsentHead)
                unsentHead = 0
            }
        }
        unsent.removeAll(keepingCapacity: true)
        unsentHead = 0
        return nil
    }

    /// The call that `nextUnsent` returned was sent to a broker.
    package mutating func markSent(_ id: RequestID, through link: Int) {
        calls[id]?.link = link
    }

    /// A reply arrived, or the caller was cancelled.
    /// - Returns: nil for a late or a second reply.
    package mutating func remove(_ id: RequestID) -> Continuation? {
        calls.removeValue(forKey: id)?.continuation
    }

    /// A broker is lost. Retryable calls wait for another broker. The others fail, because it is unknown whether they
    /// were executed.
    package mutating func brokerLost(link: Int, at now: Instant) -> [FailedCall] {
        var refused: [FailedCall] = []
        for (id, call) in calls where call.link == link {
            if call.isRetryable {
                calls[id]?.link = nil
                calls[id]?.unsentSince = now
                unsent.append(id)
            } else {
                calls[id] = nil
                refused.append(
                    FailedCall(
                        continuation: call.continuation, error: ServiceError(.unavailable, "the broker was lost")))
            }
        }
        return refused
    }

    /// Removes the calls whose deadline passed, and those that waited too long for a broker.
    package mutating func expire(at now: Instant) -> [FailedCall] {
        var refused: [FailedCall] = []
        while let request = nextUnsent(), let call = calls[request.id], now >= call.unsentSince + brokerGrace {
            calls[request.id] = nil
            let isLate = now >= call.expiresAt
            refused.append(
                FailedCall(
                    continuation: call.continuation,
                    error: isLate ? ServiceError(.deadlineExceeded) : ServiceError(.unavailable, "no broker answers")))
        }
        guard let earliest = earliestExpiry, now >= earliest else { return refused }
        for (id, call) in calls where now >= call.expiresAt {
            calls[id] = nil
            refused.append(FailedCall(continuation: call.continuation, error: ServiceError(.deadlineExceeded)))
        }
        earliestExpiry = calls.values.lazy.map(\.expiresAt).min()
        return refused
    }

    /// The latest time at which `expire` must be called again.
    package mutating func dueAt() -> Instant? {
        guard let request = nextUnsent(), let call = calls[request.id] else { return earliestExpiry }
        let graceEnd = call.unsentSince + brokerGrace
        return earliestExpiry.map { min($0, graceEnd) } ?? graceEnd
    }

    /// Removes and returns every continuation, when the process stops.
    package mutating func removeAll() -> [Continuation] {
        defer {
            calls = [:]
            unsent = []
            unsentHead = 0
            earliestExpiry = nil
        }
        return calls.values.map(\.continuation)
    }
}

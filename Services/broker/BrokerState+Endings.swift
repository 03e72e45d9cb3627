package import Bus
internal import Contracts
internal import Vocabulary
internal import ZeroMQ

/// Workers that end: whose fault it was, and what becomes of the requests they had.
///
/// | what is known | who is to blame |
/// |---|---|
/// | the launcher says that the process was killed or stopped; it said `disconnect`; it fell silent | nobody |
/// | the launcher says that it crashed over a request | that request |
/// | it crashed and could not say over which, or nobody knows how it ended | the request, if there was one; of several, that which is met here again |
extension BrokerState {
    /// How a worker ended, as far as it concerns its requests.
    enum Verdict: Sendable {
        case innocent
        case unknown
        /// Over this request, if the process could still say so.
        case crashed(PayloadDigest?)
    }

    /// The name by which `latchkey up` joins. While it is here, the ends of processes are told.
    package static let launcher = BusName.launcher

    /// Somebody who starts processes says how one of them ended.
    mutating func end(_ ended: BusMessage.Ended, at now: BusTime) -> [Action] {
        let verdict: Verdict =
            switch ended.cause {
            case .stopped: .innocent
            case .crashed: .crashed(ended.payload)
            }
        // Its last heartbeat may still be on its way: a start that has ended joins no more.
        endedInstances.append(ended.instance)
        if endedInstances.count > limits.endedInstances { endedInstances.removeFirst() }
        let peers = members.filter { $0.value.service == ended.service && $0.value.instance == ended.instance }.keys
        for peer in peers { awaitEnd(of: peer, verdict, at: now) }
        // Also when the process was lost before: the request must not go on to others.
        guard ended.cause == .crashed, let payload = ended.payload else { return [] }
        return block(payload, for: limits.blockTime, service: ended.service, at: now)
    }

    /// Takes a worker out that has ended. Its replies may still be on their way, and the news of how it ended too: what
    /// becomes of its requests is decided at a `tick`.
    mutating func awaitEnd(of peer: Peer, _ verdict: Verdict?, at now: BusTime) {
        guard let member = members[peer] else { return }
        members[peer]?.ending = .init(since: member.ending?.since ?? now.steady, verdict: verdict)
        removeWorker(peer, from: member.service, at: now)
    }

    /// Whether somebody will say how processes end.
    var hasLauncher: Bool { members.values.contains { $0.service == Self.launcher && $0.ending == nil } }

    /// Decides over the workers that have ended.
    mutating func settleEndings(at now: BusTime) -> [Action] {
        var actions: [Action] = []
        for (peer, member) in members {
            guard let ending = member.ending else { continue }
            if let verdict = ending.verdict {
                actions += removeLostMember(peer, .ended, verdict, at: now)
            } else if now.steady - ending.since >= limits.verdictGrace {
                actions += removeLostMember(peer, .disconnected, .unknown, at: now)
            }
        }
        return actions
    }

    /// What is done about the requests a lost worker had.
    mutating func recoverRequest(_ running: Set<RequestID>, _ verdict: Verdict, at now: BusTime) -> [Action] {
        var actions: [Action] = []
        switch verdict {
        case .innocent:
            break
        case .crashed(let payload?):
            if let service = running.first.flatMap({ pendingRequests[$0] })?.request.service {
                actions += block(payload, for: limits.blockTime, service: service, at: now)
            }
        case .crashed(nil), .unknown:
            for id in running {
                guard let request = pendingRequests[id]?.request else { continue }
                if running.count == 1 || blocks.isSuspected(request.payload, at: now.steady) {
                    actions += block(request.payload, for: limits.blockTime, service: request.service, at: now)
                } else {
                    blocks.suspect(request.payload, until: now.steady + limits.blockTime)
                }
            }
        }
        for id in running { actions += recoverRequest(id, at: now) }
        return actions
    }

    /// Does what can be done for one request whose worker is gone.
    private mutating func recoverRequest(_ id: RequestID, at now: BusTime) -> [Action] {
        guard var call = pendingRequests[id] else { return [] }
        call.worker = nil
        call.lostWorkerCount += 1
        call.queuedAt = now.steady
        pendingRequests[id] = nil
        guard let caller = call.caller else { return [] }
        if let remaining = blocks.remaining(call.request.payload, at: now.steady) {
            return refuse(caller, id, Self.blocked(for: remaining))
        }
        guard call.request.isIdempotent else {
            return refuse(caller, id, WireError(.unavailable, "the worker was lost"))
        }
        guard call.lostWorkerCount < limits.maximumLostWorkers else {
            // Not `unavailable`, which callers may try again.
            return refuse(
                caller, id, WireError(.internal, "\(call.lostWorkerCount) workers were lost over this request"))
                + [.report(.requestQuarantined(id, service: call.request.service))]
        }
        guard !refusesRequests else { return refuse(caller, id, Self.stoppingError) }
        statistics.redispatched += 1
        pendingRequests[id] = call
        enqueue(id, call, first: true)
        return []
    }

    // MARK: Blocked payloads

    static func blocked(for remaining: Duration) -> WireError {
        WireError(
            .requestBlocked, "workers died over a request like this",
            retryAfterSeconds: Int(clamping: max(1, remaining.secondsRoundedUp)))
    }

    /// Refuses a payload from now on, here and, through the members, at the other brokers.
    mutating func block(
        _ payload: PayloadDigest, for duration: Duration, service: BusName?, except source: Peer? = nil,
        at now: BusTime
    ) -> [Action] {
        guard blocks.block(payload, until: now.steady + duration, at: now.steady) else { return [] }
        var actions: [Action] = [.report(.blocked(payload, service: service, for: duration))]
        let milliseconds = UInt32(clamping: duration.saturatedMilliseconds)
        actions += members.filter { $0.key != source && $0.value.ending == nil }.keys.map {
            .block(to: $0, payload, milliseconds: milliseconds)
        }
        for (id, call) in pendingRequests where call.worker == nil && call.request.payload == payload {
            actions += refuseQueued(id, Self.blocked(for: duration))
        }
        return actions
    }

    // MARK: The end of the broker itself

    /// How far the broker has come with its own end.
    enum Stopping: Equatable, Sendable {
        case no
        /// Members were told to send nothing new. What they sent before they knew is still served.
        case announced(at: Instant)
        /// Nothing new comes, or it is refused; what was taken before is still answered.
        case refusing
        /// Everything is answered, and the members were told to disconnect. The connections stay open until each member
        /// has confirmed: libzmq drops what a member has received and not yet read when a connection closes
        /// (`ZMQ_IMMEDIATE`), the last replies too.
        case disconnecting(since: Instant)
    }

    /// Whether new requests are refused.
    var refusesRequests: Bool {
        switch stopping {
        case .no, .announced: false
        case .refusing, .disconnecting: true
        }
    }

    /// Tells every member to send its requests elsewhere. A request that is on its way meanwhile is served.
    package mutating func beginShutdown(at now: BusTime) -> [Action] {
        stopping = .announced(at: now.steady)
        stoppingSince = now.steady
        let announcements: [Action] = members.filter { $0.value.ending == nil }.keys.map { .leaving($0) }
        return announcements + continueStopping(at: now)
    }

    /// A member sends nothing new any more, or has read everything that it was sent.
    mutating func confirm(_ peer: Peer, at now: BusTime) -> [Action] {
        if case .disconnecting = stopping {
            members[peer]?.hasDisconnected = true
        } else {
            members[peer]?.hasConfirmed = true
        }
        return continueStopping(at: now)
    }

    mutating func continueStopping(at now: BusTime) -> [Action] {
        if case .announced(let since) = stopping,
            now.steady - since >= limits.leavingGrace
                || members.values.allSatisfy({ $0.hasConfirmed || $0.ending != nil })
        {
            stopping = .refusing
        }
        guard stopping == .refusing, let stoppingSince, now.steady - stoppingSince >= limits.stoppingDrain else {
            return []
        }
        // What still waits for a worker now will not be done in the time that is left.
        return pendingRequests.filter { $0.value.worker == nil }.keys.flatMap { refuseQueued($0, Self.stoppingError) }
    }

    /// Whether nothing new can come and everything that was taken is answered.
    package var hasDrained: Bool { stopping == .refusing && isIdle }

    /// Tells every member that it is connected no longer.
    package mutating func beginDisconnecting(at now: BusTime) -> [Action] {
        stopping = .disconnecting(since: now.steady)
        return members.keys.map { .disconnect($0) }
    }

    /// What the members are sent at regular intervals. It also shows which connections are gone.
    func signsOfLife() -> [Action] {
        switch stopping {
        case .no, .announced, .refusing:
            members.filter { $0.value.ending == nil }.keys.map { .heartbeat($0) }
        case .disconnecting:
            // A heartbeat would tell a member that it has joined.
            members.filter { $0.value.ending == nil && !$0.value.hasDisconnected }.keys.map { .disconnect($0) }
        }
    }

    /// Whether every member has read everything that it was sent, or has had the time for it.
    package func hasDisconnected(at now: BusTime) -> Bool {
        guard case .disconnecting(let since) = stopping else { return false }
        return now.steady - since >= limits.leavingGrace
            || members.values.allSatisfy { $0.hasDisconnected || $0.ending != nil }
    }

    static let stoppingError = WireError(.unavailable, "the broker is stopping")
}

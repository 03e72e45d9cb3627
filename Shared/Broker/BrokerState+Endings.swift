package import Bus
import Contracts
import Vocabulary
import ZeroMQ

/// Workers that ended: which request was the cause, and what happens to the requests that they had.
///
/// | Known about the end | Cause |
/// |---|---|
/// | the launcher reports that the process was killed or stopped; it sent `disconnect`; its heartbeat timed out | none |
/// | the launcher reports that it crashed over a request | that request |
/// | it crashed without naming a request, or nothing is known | its request, if it had one; of several, one that occurs here again |
extension BrokerState {
    /// Which request made a worker end.
    enum EndCause: Sendable {
        case noRequest
        case unknown
        /// Over this request, if the process could report it.
        case crashed(PayloadDigest?)
    }

    /// The service name under which `latchkey up` joins. While it is a member, the broker is informed how processes
    /// end.
    package static let launcher = BusName.launcher

    /// The launcher reports how a process ended.
    mutating func end(_ ended: BusMessage.Ended, at now: BusTime) -> [Action] {
        let cause: EndCause =
            switch ended.cause {
            case .stopped: .noRequest
            case .crashed: .crashed(ended.payload)
            }
        // Its last heartbeat may still arrive. A start that has ended does not join again.
        endedInstances.append(ended.instance)
        if endedInstances.count > limits.endedInstances { endedInstances.removeFirst() }
        let peers = members.filter { $0.value.service == ended.service && $0.value.instance == ended.instance }.keys
        for peer in peers { awaitEnd(of: peer, cause, at: now) }
        // Also if the process was lost before: the request must not reach other workers.
        guard ended.cause == .crashed, let payload = ended.payload else { return [] }
        return block(payload, for: limits.blockTime, service: ended.service, at: now)
    }

    /// Removes an ended worker from its queue. Its replies, and the report of how it ended, may still arrive, so `tick`
    /// decides later what happens to its requests.
    mutating func awaitEnd(of peer: Peer, _ cause: EndCause?, at now: BusTime) {
        guard let member = members[peer] else { return }
        members[peer]?.ending = .init(since: member.ending?.since ?? now.steady, cause: cause)
        removeWorker(peer, from: member.service, at: now)
    }

    /// Whether a launcher reports how processes end.
    var hasLauncher: Bool { members.values.contains { $0.service == Self.launcher && $0.ending == nil } }

    /// Handles the workers that have ended.
    mutating func handleEndedWorkers(at now: BusTime) -> [Action] {
        var actions: [Action] = []
        for (peer, member) in members {
            guard let ending = member.ending else { continue }
            if let cause = ending.cause {
                actions += removeLostMember(peer, .ended, cause, at: now)
            } else if now.steady - ending.since >= limits.endReportGrace {
                actions += removeLostMember(peer, .disconnected, .unknown, at: now)
            }
        }
        return actions
    }

    /// Handles the requests of a lost worker.
    mutating func recoverRequest(_ running: Set<RequestID>, _ cause: EndCause, at now: BusTime) -> [Action] {
        var actions: [Action] = []
        switch cause {
        case .noRequest:
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

    /// Handles one request whose worker is lost.
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
            // Not `unavailable`, which callers may retry.
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

    /// Blocks a payload from now on, here and, through the members, at the other brokers.
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

    // MARK: Shutdown of the broker

    /// The state of the broker's own shutdown.
    enum Stopping: Equatable, Sendable {
        case no
        /// Members are asked to send no new requests. Requests that they sent before that are still served.
        case announced(at: Instant)
        /// New requests are refused. Accepted requests still get their replies.
        case refusing
        /// Every request has its reply, and the broker sent `disconnect` to its members. The connections stay open
        /// until each member has confirmed: when a connection closes, libzmq drops what a member has received and not
        /// yet read (`ZMQ_IMMEDIATE`), including the last replies.
        case disconnecting(since: Instant)
    }

    /// Whether new requests are refused.
    var refusesRequests: Bool {
        switch stopping {
        case .no, .announced: false
        case .refusing, .disconnecting: true
        }
    }

    /// Announces the shutdown to every member. Requests that arrive meanwhile are served.
    package mutating func beginShutdown(at now: BusTime) -> [Action] {
        stopping = .announced(at: now.steady)
        stoppingSince = now.steady
        let announcements: [Action] = members.filter { $0.value.ending == nil }.keys.map { .leaving($0) }
        return announcements + continueStopping(at: now)
    }

    /// A member confirms that it sends no new requests, or that it has read everything.
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
        // The remaining time is too short for requests that still wait for a worker.
        return pendingRequests.filter { $0.value.worker == nil }.keys.flatMap { refuseQueued($0, Self.stoppingError) }
    }

    /// Whether new requests are refused and every accepted one has its reply.
    package var hasDrained: Bool { stopping == .refusing && isIdle }

    /// Sends `disconnect` to every member.
    package mutating func beginDisconnecting(at now: BusTime) -> [Action] {
        stopping = .disconnecting(since: now.steady)
        return releaseHeld() + members.keys.map { .disconnect($0) }
    }

    /// Whether every member has read everything, or the time for it has passed.
    package func hasDisconnected(at now: BusTime) -> Bool {
        guard case .disconnecting(let since) = stopping else { return false }
        return now.steady - since >= limits.leavingGrace
            || members.values.allSatisfy { $0.hasDisconnected || $0.ending != nil }
    }

    static let stoppingError = WireError(.unavailable, "the broker is stopping")
}

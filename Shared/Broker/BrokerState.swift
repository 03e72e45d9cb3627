package import Bus
package import Contracts
import Vocabulary
package import ZeroMQ

/// The complete state of the broker. It decides, and `BrokerLoop`, which owns the socket, performs the actions. It
/// reads no clock: the parameter `at` is the time of each input.
package struct BrokerState: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What the loop does, in this order.
    package enum Action: Equatable, Sendable {
        /// If the send fails, the peer is lost.
        case dispatch(to: Peer, BusMessage.Request)
        case reply(to: Peer, BusMessage.Reply)
        case refuse(Peer, RequestID, WireError)
        case heartbeat(Peer)
        /// Informs a peer that it is not a member.
        case disconnect(Peer)
        case event(to: Peer, ZeroMQFrame)
        case processReport(to: Peer, ZeroMQFrame)
        case block(to: Peer, PayloadDigest, milliseconds: UInt32)
        /// Informs a member that this broker is about to stop.
        case leaving(Peer)
        /// Informs a member that it gets no new requests.
        case confirm(Peer)
        case report(Diagnostic)
    }

    /// A diagnostic for the operator.
    package enum Diagnostic: Equatable, Sendable {
        case memberJoined(service: BusName, instance: BusName, capacity: UInt16)
        case memberLeft(service: BusName, instance: BusName, LeaveReason)
        /// Once per peer.
        case malformedMessage(Peer, BusMessageError)
        /// Requests with this payload are refused for this time. The service is known if a worker crashed here.
        case blocked(PayloadDigest, service: BusName?, for: Duration)
        /// Workers were lost over this request, so no other worker gets it.
        case requestQuarantined(RequestID, service: BusName)
        case memberRefused(Peer)
        /// Once per peer: its key is not in the table, or does not permit the service under which it joins.
        case peerNotPermitted(Peer, name: BusName?, service: BusName?)
    }

    /// Why a member left.
    package enum LeaveReason: Equatable, Sendable {
        /// It sent `disconnect`, or its connection ended.
        case disconnected
        case heartbeatTimeout
        /// Another connection uses its name.
        case replaced
        /// The launcher reported its end.
        case ended
        /// The table of peers no longer has its key, or its service.
        case notPermitted
    }

    /// A lost worker whose replies, or the report of its end, may still arrive.
    struct Ending: Sendable {
        var since: Instant
        /// Nil until the launcher reports how it ended.
        var cause: EndCause?
    }

    /// A process that sent `ready`.
    struct Member: Sendable {
        var service: BusName
        var instance: BusName
        /// The key with which it joined; nil without keys.
        var key: CurvePublicKey?
        var capacity: Int
        /// It gets the reports of the others.
        var watchesReports = false
        /// It sent `disconnect` and gets no new requests.
        var isLeaving = false
        /// Set once the worker has ended.
        var ending: Ending?
        /// It confirmed `leaving`: it sends no new requests to this broker.
        var hasConfirmed = false
        /// It has read `disconnect` and everything before it.
        var hasDisconnected = false
        var lastMessageAt: Instant
        /// The first heartbeat to it since its last message.
        var unansweredSince: Instant?
        /// Whether its next heartbeat or report is the reply to a heartbeat of this broker. Any other heartbeat gets a
        /// reply.
        var repliesNext = false
        var running: Set<RequestID> = []
        /// Grows with each dispatched request. Among equal workers, the one with the lowest value is next.
        var lastDispatch: UInt64 = 0

        var availableCapacity: Int { isLeaving || ending != nil ? 0 : capacity - running.count }
        var isWorker: Bool { !isLeaving && ending == nil && capacity > 0 }
    }

    /// A request from its arrival to its reply.
    struct PendingRequest: Sendable {
        var request: BusMessage.Request
        /// Nil if the caller was lost: the reply will be dropped.
        var caller: Peer?
        var expiresAt: Instant
        var queuedAt: Instant
        /// Nil while it waits.
        var worker: Peer?
        var lostWorkerCount = 0
    }

    /// The requests that wait for one service.
    struct ServiceQueue: Sendable {
        var workers: [Peer] = []
        var queue = FIFO<RequestID>()
        var queuedByCaller: [Peer: Int] = [:]
        /// When the last worker left.
        var lastWorkerLeftAt: Instant
    }

    let limits: BrokerLimits
    var members: [Peer: Member] = [:]
    var queues: [BusName: ServiceQueue] = [:]
    var pendingRequests: [RequestID: PendingRequest] = [:]
    var queuedInTotal = 0
    /// Events and reports that are held back, oldest first, and when they are passed on.
    var held: [HeldMessage] = []
    var heldDueAt: Instant?
    var blocks: PayloadBlocks
    /// The most recent instances that are known to have ended.
    var endedInstances: [BusName] = []
    var stopping = Stopping.no
    var stoppingSince: Instant?
    /// Since the start.
    package internal(set) var statistics = BrokerStatistics()

    private var malformedPeers: Set<Peer> = []
    var refusedPeers: Set<Peer> = []
    private let startedAt: Instant
    var lastTick: Instant
    var nextHeartbeat: Instant
    private var dispatches: UInt64 = 0
    package init(limits: BrokerLimits = .init(), at now: BusTime) {
        self.limits = limits
        blocks = PayloadBlocks(limit: limits.blockedPayloads)
        startedAt = now.steady
        lastTick = now.steady
        nextHeartbeat = now.steady
    }

    /// Decides what follows from one message.
    /// - Parameter sender: the process behind the connection.
    package mutating func receive(
        _ input: BusInput, from peer: Peer, of sender: BusSender = .process, at now: BusTime
    ) -> [Action] {
        // A connection exists longer than the key with which it began.
        if sender == .unlisted { return refuse(peer, of: sender, service: nil, at: now) }
        // Every message counts as a heartbeat.
        members[peer]?.lastMessageAt = now.steady
        members[peer]?.unansweredSince = nil
        switch input {
        case .malformed(let fault): return countMalformed(fault, from: peer)
        case .frames(.heartbeat): return answerHeartbeat(of: peer, at: now)
        case .frames(.event(let body)): return hold(.event, body, from: peer, at: now)
        case .frames(.report(let body)):
            members[peer]?.repliesNext = false
            return hold(.report, body, from: peer, at: now)
        // An event is never overtaken by a later request or reply.
        case .frames(let message):
            guard heldDueAt != nil else { return receive(message, from: peer, of: sender, at: now) }
            return releaseHeld() + receive(message, from: peer, of: sender, at: now)
        }
    }

    private mutating func receive(
        _ message: BusMessage, from peer: Peer, of sender: BusSender, at now: BusTime
    ) -> [Action] {
        switch message {
        case .heartbeat, .event, .report: return []  // Handled by the caller.
        case .ready(let ready):
            guard sender.maySend(ready) else { return refuse(peer, of: sender, service: ready.service, at: now) }
            return join(ready, from: peer, with: sender.key, at: now)
        case .request(var request):
            // Only the broker says who calls.
            request.caller = sender.name
            return acceptRequest(request, from: peer, at: now)
        case .reply(let reply): return forwardReply(reply, from: peer, at: now)
        case .disconnect: return leave(peer, at: now)
        case .ended(let ended): return members[peer]?.service == Self.launcher ? end(ended, at: now) : []
        case .block(let payload, let milliseconds):
            guard members[peer] != nil else { return [] }
            let duration = min(.milliseconds(Int64(milliseconds)), limits.blockTime)
            return block(payload, for: duration, service: nil, except: peer, at: now)
        case .confirmed: return confirm(peer, at: now)
        case .watch: return watchReports(peer)
        case .leaving: return []  // Only brokers send it.
        }
    }

    /// Decides what follows from the time alone. Called at `dueAt` at the latest.
    package mutating func tick(at now: BusTime) -> [Action] {
        forgivePause(at: now)
        lastTick = now.steady
        var actions: [Action] = []
        if let heldDueAt, now.steady >= heldDueAt { actions += releaseHeld() }
        actions += handleEndedWorkers(at: now)
        actions += removeSilentMembers(at: now)
        actions += expireRequests(at: now)
        blocks.expire(at: now.steady)
        actions += continueStopping(at: now)
        actions += sendDueHeartbeats(at: now)
        return actions
    }

    /// A message could not be delivered, because the connection is closed.
    package mutating func peerDisconnected(_ peer: Peer, at now: BusTime) -> [Action] {
        guard let member = members[peer], !member.running.isEmpty, !member.isLeaving else {
            return removeLostMember(peer, .disconnected, .noRequest, at: now)
        }
        guard member.ending == nil else { return [] }
        guard hasLauncher else { return removeLostMember(peer, .disconnected, .unknown, at: now) }
        // The launcher will report shortly how it ended. Until then no other worker gets its requests.
        dropRequests(from: peer)
        awaitEnd(of: peer, nil, at: now)
        return []
    }

    /// A request could not be sent to its worker, whose connection is closed or full. The worker is lost. The request,
    /// which the worker never received, waits for another one.
    package mutating func deliveryFailed(_ id: RequestID, to peer: Peer, at now: BusTime) -> [Action] {
        guard var call = pendingRequests[id], call.worker == peer else { return peerDisconnected(peer, at: now) }
        call.worker = nil
        call.queuedAt = now.steady
        members[peer]?.running.remove(id)
        pendingRequests[id] = call.caller == nil ? nil : call
        if call.caller != nil { enqueue(id, call, first: true) }
        // Another worker may be free, also while the end of this one is awaited.
        return peerDisconnected(peer, at: now) + dispatchQueued(of: call.request.service, at: now)
    }

    /// Whether every accepted request has its reply.
    package var isIdle: Bool { pendingRequests.isEmpty }

    // MARK: Members

    private mutating func join(
        _ ready: BusMessage.Ready, from peer: Peer, with key: CurvePublicKey?, at now: BusTime
    ) -> [Action] {
        guard !refusesRequests else { return [] }  // The process tries again and then reaches the next broker.
        guard !endedInstances.contains(ready.instance) else { return [] }
        var actions: [Action] = []
        if let member = members[peer], member.service != ready.service || member.instance != ready.instance {
            actions += removeLostMember(peer, .replaced, .noRequest, at: now)
        }
        // A restarted process joins at once and does not wait for the heartbeat timeout of the old one.
        let old = members.first {
            $0.key != peer && $0.value.service == ready.service && $0.value.instance == ready.instance
        }
        if let old {
            actions += removeLostMember(old.key, .replaced, old.value.isLeaving ? .noRequest : .unknown, at: now)
        }
        if members[peer] == nil {
            guard members.count < limits.members else { return actions + [.report(.memberRefused(peer))] }
            members[peer] = Member(
                service: ready.service, instance: ready.instance, key: key, capacity: 0, lastMessageAt: now.steady)
            actions.append(
                .report(.memberJoined(service: ready.service, instance: ready.instance, capacity: ready.capacity)))
        }
        members[peer]?.capacity = Int(ready.capacity)
        members[peer]?.isLeaving = false
        updateWorkers(peer, in: ready.service, at: now)
        actions.append(heartbeat(to: peer, at: now))  // Informs the process that it is a member.
        if stopping != .no { actions.append(.leaving(peer)) }
        return actions + dispatchQueued(of: ready.service, at: now)
    }

    private mutating func updateWorkers(_ peer: Peer, in service: BusName, at now: BusTime) {
        guard let member = members[peer] else { return }
        if !member.isWorker {
            queues[service]?.workers.removeAll { $0 == peer }
        } else if queues[service]?.workers.contains(peer) != true {
            queues[service, default: ServiceQueue(lastWorkerLeftAt: now.steady)].workers.append(peer)
        }
    }

    private mutating func leave(_ peer: Peer, at now: BusTime) -> [Action] {
        guard let member = members[peer], !member.isLeaving else { return [.confirm(peer)] }
        members[peer]?.isLeaving = true
        removeWorker(peer, from: member.service, at: now)
        return [
            .confirm(peer), .report(.memberLeft(service: member.service, instance: member.instance, .disconnected)),
        ]
    }

    mutating func removeWorker(_ peer: Peer, from service: BusName, at now: BusTime) {
        guard let place = queues[service]?.workers.firstIndex(of: peer) else { return }
        queues[service]?.workers.remove(at: place)
        queues[service]?.lastWorkerLeftAt = now.steady
    }

    /// Removes a connection. Its requests go to other workers or are refused, and replies to its own requests are
    /// dropped.
    mutating func removeLostMember(
        _ peer: Peer, _ reason: LeaveReason, _ cause: EndCause, at now: BusTime
    ) -> [Action] {
        malformedPeers.remove(peer)
        refusedPeers.remove(peer)
        dropRequests(from: peer)
        guard let member = members.removeValue(forKey: peer) else { return [] }
        removeWorker(peer, from: member.service, at: now)
        var actions: [Action] = []
        if !member.isLeaving {
            actions.append(.report(.memberLeft(service: member.service, instance: member.instance, reason)))
        }
        actions += recoverRequest(member.running, member.isLeaving ? .noRequest : cause, at: now)
        return actions + dispatchQueued(of: member.service, at: now)
    }

    private mutating func countMalformed(_ fault: BusMessageError, from peer: Peer) -> [Action] {
        statistics.malformedMessages += 1
        guard malformedPeers.count < limits.malformedPeersTracked, malformedPeers.insert(peer).inserted else {
            return []
        }
        return [.report(.malformedMessage(peer, fault))]
    }

    // MARK: Requests

    private mutating func acceptRequest(_ request: BusMessage.Request, from caller: Peer, at now: BusTime) -> [Action] {
        if let known = pendingRequests[request.id] {
            statistics.duplicates += 1
            if known.caller == caller { return [] }  // The first one gets the reply.
            return refuse(caller, request.id, WireError(.invalidRequest, "the request id is in use"))
        }
        guard !refusesRequests else { return refuse(caller, request.id, Self.stoppingError) }
        if let remaining = blocks.remaining(request.payload, at: now.steady) {
            return refuse(caller, request.id, Self.blocked(for: remaining))
        }
        guard request.deadline > now.wall else { return refuse(caller, request.id, WireError(.deadlineExceeded)) }
        let timeout = min(
            Duration.milliseconds(request.deadline.milliseconds(since: now.wall)), limits.maximumDeadlineDistance)
        let call = PendingRequest(
            request: request, caller: caller, expiresAt: now.steady + timeout, queuedAt: now.steady)
        if pendingRequests.isEmpty { beginWork(at: now) }
        if let worker = leastLoadedWorker(of: request.service), queues[request.service]?.queue.isEmpty == true {
            pendingRequests[request.id] = call
            return [dispatch(request.id, to: worker, at: now)]
        }
        return queue(call, at: now)
    }

    private mutating func queue(_ call: PendingRequest, at now: BusTime) -> [Action] {
        guard let caller = call.caller else { return [] }
        let service = call.request.service
        // A broker that has just started has no workers yet, so it treats every service as restarting.
        let line = queues[service] ?? ServiceQueue(lastWorkerLeftAt: startedAt)
        if line.workers.isEmpty && now.steady - line.lastWorkerLeftAt >= limits.recentWorkerWindow {
            return refuse(caller, call.request.id, WireError(.unavailable, "no worker serves \(service)"))
        }
        guard line.queue.count < limits.queuedPerService, queuedInTotal < limits.queuedInTotal,
            line.queuedByCaller[caller, default: 0] < limits.queuedPerCaller
        else { return refuse(caller, call.request.id, WireError(.overloaded, retryAfterSeconds: 1)) }
        queues[service] = line
        pendingRequests[call.request.id] = call
        enqueue(call.request.id, call, first: false)
        return []
    }

    private mutating func forwardReply(_ reply: BusMessage.Reply, from worker: Peer, at now: BusTime) -> [Action] {
        guard let call = pendingRequests[reply.id], call.worker == worker else {
            statistics.unexpectedReplies += 1
            return []
        }
        pendingRequests[reply.id] = nil
        members[worker]?.running.remove(reply.id)
        statistics.replies += 1
        blocks.recordSuccess(call.request.payload)
        let rest = dispatchQueued(of: call.request.service, at: now)
        guard let caller = call.caller else { return rest }
        return [.reply(to: caller, reply)] + rest
    }

    /// The worker with the most free capacity; among equals, the one that has waited longest.
    private func leastLoadedWorker(of service: BusName) -> Peer? {
        var best: (peer: Peer, capacity: Int, lastDispatch: UInt64)?
        for peer in queues[service]?.workers ?? [] {
            guard let member = members[peer], member.availableCapacity > 0 else { continue }
            if let best, best.capacity > member.availableCapacity { continue }
            if let best, best.capacity == member.availableCapacity, best.lastDispatch <= member.lastDispatch {
                continue
            }
            best = (peer, member.availableCapacity, member.lastDispatch)
        }
        return best?.peer
    }

    private mutating func dispatch(_ id: RequestID, to worker: Peer, at now: BusTime) -> Action {
        guard let call = pendingRequests[id] else { preconditionFailure("only known calls are dispatched") }
        pendingRequests[id]?.worker = worker
        dispatches += 1
        members[worker]?.running.insert(id)
        members[worker]?.lastDispatch = dispatches
        statistics.dispatched += 1
        statistics.waits[call.request.service, default: .init()].add(now.steady - call.queuedAt)
        return .dispatch(to: worker, call.request)
    }

    /// Dispatches waiting requests to workers with free capacity, oldest first.
    mutating func dispatchQueued(of service: BusName, at now: BusTime) -> [Action] {
        var actions: [Action] = []
        while let id = queues[service]?.queue.first, let call = pendingRequests[id] {
            if now.steady >= call.expiresAt {
                actions += refuseQueued(id, WireError(.deadlineExceeded))
            } else if let worker = leastLoadedWorker(of: service) {
                dequeue(id, call)
                actions.append(dispatch(id, to: worker, at: now))
            } else {
                break
            }
        }
        return actions
    }

    mutating func refuse(_ caller: Peer, _ id: RequestID, _ error: WireError) -> [Action] {
        statistics.refused[error.code, default: 0] += 1
        return [.refuse(caller, id, error)]
    }
}

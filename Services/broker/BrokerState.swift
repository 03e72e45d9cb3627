package import Bus
package import Contracts
internal import Vocabulary
package import ZeroMQ

/// The broker's whole memory. It decides; `BrokerLoop`, which owns the socket, obeys. It knows no clock: `at` is the
/// moment of everything it is told.
package struct BrokerState: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What arrives from a connection.
    package enum Input: Sendable {
        case frames(Frames)
        /// Bytes that are not the bus's.
        case foreign(FrameFault)
    }

    /// What the loop has to do, in this order.
    package enum Action: Equatable, Sendable {
        /// If this cannot be sent, the peer is lost.
        case dispatch(to: Peer, Frames.Request)
        case reply(to: Peer, Frames.Reply)
        case refuse(Peer, RequestID, WireError)
        case heartbeat(Peer)
        /// Tells a peer that it is not known.
        case disconnect(Peer)
        case event(to: Peer, ZeroMQFrame)
        case block(to: Peer, PayloadDigest, milliseconds: UInt32)
        /// Tells a member that this broker is about to stop.
        case leaving(Peer)
        /// Tells a member that it gets nothing new.
        case confirm(Peer)
        case note(Note)
    }

    /// What an operator should know.
    package enum Note: Equatable, Sendable {
        case joined(service: BusName, instance: BusName, capacity: UInt16)
        case left(service: BusName, instance: BusName, Departure)
        /// Once per peer.
        case foreignBytes(Peer, FrameFault)
        /// Requests with this payload are refused for so long. The service is known where a worker of it died.
        case blocked(PayloadDigest, service: BusName?, for: Duration)
        /// Workers were lost over this request: it is not given to another one.
        case setAside(RequestID, service: BusName)
        case tooManyMembers(Peer)
    }

    /// Why a member is none any more.
    package enum Departure: Equatable, Sendable {
        /// It said so, or its connection ended.
        case disconnected
        case silent
        /// Another connection has its name.
        case superseded
        /// The launcher said so.
        case ended
    }

    /// A worker that is gone, of which replies or news may still be on their way.
    struct Ending: Sendable {
        var since: Instant
        /// Nil while nobody has said how it ended.
        var verdict: Verdict?
    }

    /// A process that said `ready`.
    struct Member: Sendable {
        var service: BusName
        var instance: BusName
        var capacity: Int
        /// It said `disconnect`: it gets nothing new.
        var isLeaving = false
        /// Set once it is gone.
        var ending: Ending?
        /// It sends no new requests to this broker, which is about to stop.
        var hasConfirmed = false
        /// It has read that it is disconnected, and everything before.
        var hasDisconnected = false
        var lastHeard: Instant
        var running: Set<RequestID> = []
        /// Grows with each request it gets: among equals, the one with the oldest is next.
        var lastDispatch: UInt64 = 0

        var room: Int { isLeaving || ending != nil ? 0 : capacity - running.count }
        var isWorker: Bool { !isLeaving && ending == nil && capacity > 0 }
    }

    /// A request from its arrival to its reply.
    struct Call: Sendable {
        var request: Frames.Request
        /// nil when it is gone: the reply will be dropped.
        var caller: Peer?
        var expiresAt: Instant
        var queuedAt: Instant
        /// nil while it waits.
        var worker: Peer?
        var workersLost = 0
    }

    /// The requests that wait for one service.
    struct Line: Sendable {
        var workers: [Peer] = []
        var queue = FIFO<RequestID>()
        var queuedByCaller: [Peer: Int] = [:]
        /// When there was a worker last.
        var lastWorkerAt: Instant
    }

    let limits: BrokerLimits
    var members: [Peer: Member] = [:]
    var lines: [BusName: Line] = [:]
    var calls: [RequestID: Call] = [:]
    var queuedInTotal = 0
    var blocks: PayloadBlocks
    /// The last starts of processes that are known to have ended.
    var endedInstances: [BusName] = []
    var stopping = Stopping.no
    var stoppingSince: Instant?
    /// Since the start.
    package internal(set) var statistics = BrokerStatistics()

    private var foreignPeers: Set<Peer> = []
    private let startedAt: Instant
    private var lastTick: Instant
    private var nextHeartbeat: Instant
    private var dispatches: UInt64 = 0
    package init(limits: BrokerLimits = .init(), at now: BusTime) {
        self.limits = limits
        blocks = PayloadBlocks(limit: limits.blockedPayloads)
        startedAt = now.steady
        lastTick = now.steady
        nextHeartbeat = now.steady
    }

    /// Decides what follows from one message.
    package mutating func receive(_ input: Input, from peer: Peer, at now: BusTime) -> [Action] {
        members[peer]?.lastHeard = now.steady  // Any message proves life, not only heartbeats.
        switch input {
        case .foreign(let fault): return foreign(fault, from: peer)
        case .frames(.ready(let ready)): return join(ready, from: peer, at: now)
        case .frames(.request(let request)): return take(request, from: peer, at: now)
        case .frames(.reply(let reply)): return finish(reply, from: peer, at: now)
        case .frames(.heartbeat): return members[peer] == nil ? [.disconnect(peer)] : []
        case .frames(.disconnect): return leave(peer, at: now)
        case .frames(.event(let body)): return spread(body, from: peer)
        case .frames(.ended(let ended)): return members[peer]?.service == Self.launcher ? end(ended, at: now) : []
        case .frames(.block(let payload, let milliseconds)):
            guard members[peer] != nil else { return [] }
            let duration = min(.milliseconds(Int64(milliseconds)), limits.blockTime)
            return block(payload, for: duration, service: nil, except: peer, at: now)
        case .frames(.confirmed): return confirm(peer, at: now)
        case .frames(.leaving): return []  // Only brokers say that.
        }
    }

    /// Decides what follows from the time alone. Called many times per second.
    package mutating func tick(at now: BusTime) -> [Action] {
        // When it was the broker that slept (a suspended machine, a debugger), the silence was its own.
        if now.steady - lastTick >= limits.liveness {
            for peer in members.keys { members[peer]?.lastHeard = now.steady }
        }
        lastTick = now.steady
        var actions: [Action] = []
        actions += settleEndings(at: now)
        for (peer, member) in members
        where member.ending == nil && now.steady - member.lastHeard >= limits.liveness {
            actions += lose(peer, .silent, .innocent, at: now)
        }
        actions += expireCalls(at: now)
        blocks.expire(at: now.steady)
        actions += continueStopping(at: now)
        if now.steady >= nextHeartbeat {
            nextHeartbeat = now.steady + limits.heartbeatInterval
            actions += signsOfLife()
        }
        return actions
    }

    /// A message could not be delivered, because the connection is gone.
    package mutating func lost(_ peer: Peer, at now: BusTime) -> [Action] {
        guard let member = members[peer], !member.running.isEmpty, !member.isLeaving else {
            return lose(peer, .disconnected, .innocent, at: now)
        }
        guard member.ending == nil else { return [] }
        guard hasLauncher else { return lose(peer, .disconnected, .unknown, at: now) }
        // How it ended is known in a moment, and until then its requests go to nobody.
        abandonCalls(of: peer)
        awaitEnd(of: peer, nil, at: now)
        return []
    }

    /// A request could not be handed to its worker, whose connection is gone or takes nothing more. The worker is lost, and
    /// the request, which it never saw, waits for another one.
    package mutating func undelivered(_ id: RequestID, to peer: Peer, at now: BusTime) -> [Action] {
        if var call = calls[id], call.worker == peer {
            call.worker = nil
            call.queuedAt = now.steady
            members[peer]?.running.remove(id)
            calls[id] = call.caller == nil ? nil : call
            if call.caller != nil { enqueue(id, call, first: true) }
        }
        return lost(peer, at: now)
    }

    /// An event of the broker's own for every member.
    package func publish(_ body: ZeroMQFrame) -> [Action] {
        members.filter { $0.value.ending == nil }.keys.map { .event(to: $0, body) }
    }

    /// Whether everything that was taken is answered.
    package var isIdle: Bool { calls.isEmpty }

    // MARK: Members

    private mutating func join(_ ready: Frames.Ready, from peer: Peer, at now: BusTime) -> [Action] {
        guard !refusesRequests else { return [] }  // It tries again, and then it meets the next broker.
        guard !endedInstances.contains(ready.instance) else { return [] }
        var actions: [Action] = []
        if let member = members[peer], member.service != ready.service || member.instance != ready.instance {
            actions += lose(peer, .superseded, .innocent, at: now)
        }
        // A process that was started again is known at once, without waiting for the silence of the old one.
        let old = members.first {
            $0.key != peer && $0.value.service == ready.service && $0.value.instance == ready.instance
        }
        if let old { actions += lose(old.key, .superseded, old.value.isLeaving ? .innocent : .unknown, at: now) }
        if members[peer] == nil {
            guard members.count < limits.members else { return actions + [.note(.tooManyMembers(peer))] }
            members[peer] = Member(
                service: ready.service, instance: ready.instance, capacity: 0, lastHeard: now.steady)
            actions.append(
                .note(.joined(service: ready.service, instance: ready.instance, capacity: ready.capacity)))
        }
        members[peer]?.capacity = Int(ready.capacity)
        members[peer]?.isLeaving = false
        enlist(peer, in: ready.service, at: now)
        actions.append(.heartbeat(peer))  // Tells the process that it is known.
        if stopping != .no { actions.append(.leaving(peer)) }
        return actions + dispatchQueued(of: ready.service, at: now)
    }

    private mutating func enlist(_ peer: Peer, in service: BusName, at now: BusTime) {
        guard let member = members[peer] else { return }
        if !member.isWorker {
            lines[service]?.workers.removeAll { $0 == peer }
        } else if lines[service]?.workers.contains(peer) != true {
            lines[service, default: Line(lastWorkerAt: now.steady)].workers.append(peer)
        }
    }

    private mutating func leave(_ peer: Peer, at now: BusTime) -> [Action] {
        guard let member = members[peer], !member.isLeaving else { return [.confirm(peer)] }
        members[peer]?.isLeaving = true
        dismiss(peer, from: member.service, at: now)
        return [
            .confirm(peer), .note(.left(service: member.service, instance: member.instance, .disconnected)),
        ]
    }

    mutating func dismiss(_ peer: Peer, from service: BusName, at now: BusTime) {
        guard let place = lines[service]?.workers.firstIndex(of: peer) else { return }
        lines[service]?.workers.remove(at: place)
        lines[service]?.lastWorkerAt = now.steady
    }

    /// Forgets a connection: its work goes to others or is refused, and nobody wants what it asked.
    mutating func lose(
        _ peer: Peer, _ departure: Departure, _ verdict: Verdict, at now: BusTime
    ) -> [Action] {
        foreignPeers.remove(peer)
        abandonCalls(of: peer)
        guard let member = members.removeValue(forKey: peer) else { return [] }
        dismiss(peer, from: member.service, at: now)
        var actions: [Action] = []
        if !member.isLeaving {
            actions.append(.note(.left(service: member.service, instance: member.instance, departure)))
        }
        actions += recover(member.running, member.isLeaving ? .innocent : verdict, at: now)
        return actions + dispatchQueued(of: member.service, at: now)
    }

    private mutating func foreign(_ fault: FrameFault, from peer: Peer) -> [Action] {
        statistics.foreignMessages += 1
        guard foreignPeers.count < limits.foreignPeersRemembered, foreignPeers.insert(peer).inserted else { return [] }
        return [.note(.foreignBytes(peer, fault))]
    }

    private mutating func spread(_ body: ZeroMQFrame, from peer: Peer) -> [Action] {
        // A process that is not a member joins first; its event is lost, as events may be.
        guard members[peer] != nil else { return [.disconnect(peer)] }
        statistics.events += 1
        return members.filter { $0.key != peer && $0.value.ending == nil }.keys.map { .event(to: $0, body) }
    }

    // MARK: Requests

    private mutating func take(_ request: Frames.Request, from caller: Peer, at now: BusTime) -> [Action] {
        if let known = calls[request.id] {
            statistics.duplicates += 1
            if known.caller == caller { return [] }  // The first one will be answered.
            return refuse(caller, request.id, WireError(.invalidRequest, "the request id is in use"))
        }
        guard !refusesRequests else { return refuse(caller, request.id, Self.stoppingError) }
        if let remaining = blocks.remaining(request.payload, at: now.steady) {
            return refuse(caller, request.id, Self.blocked(for: remaining))
        }
        guard request.deadline > now.wall else { return refuse(caller, request.id, WireError(.deadlineExceeded)) }
        let patience = min(
            Duration.milliseconds(request.deadline.milliseconds(since: now.wall)), limits.longestPatience)
        let call = Call(
            request: request, caller: caller, expiresAt: now.steady + patience, queuedAt: now.steady)
        if let worker = freeWorker(of: request.service), lines[request.service]?.queue.isEmpty == true {
            calls[request.id] = call
            return [dispatch(request.id, to: worker)]
        }
        return queue(call, at: now)
    }

    private mutating func queue(_ call: Call, at now: BusTime) -> [Action] {
        guard let caller = call.caller else { return [] }
        let service = call.request.service
        // A broker that has just started knows no worker yet, and treats every service as one that is restarting.
        let line = lines[service] ?? Line(lastWorkerAt: startedAt)
        if line.workers.isEmpty && now.steady - line.lastWorkerAt >= limits.recently {
            return refuse(caller, call.request.id, WireError(.unavailable, "no worker serves \(service)"))
        }
        guard line.queue.count < limits.queuedPerService, queuedInTotal < limits.queuedInTotal,
            line.queuedByCaller[caller, default: 0] < limits.queuedPerCaller
        else { return refuse(caller, call.request.id, WireError(.overloaded, retryAfterSeconds: 1)) }
        lines[service] = line
        calls[call.request.id] = call
        enqueue(call.request.id, call, first: false)
        return []
    }

    private mutating func finish(_ reply: Frames.Reply, from worker: Peer, at now: BusTime) -> [Action] {
        guard let call = calls[reply.id], call.worker == worker else {
            statistics.strayReplies += 1
            return []
        }
        calls[reply.id] = nil
        members[worker]?.running.remove(reply.id)
        statistics.replies += 1
        blocks.acquit(call.request.payload)
        let rest = dispatchQueued(of: call.request.service, at: now)
        guard let caller = call.caller else { return rest }
        return [.reply(to: caller, reply)] + rest
    }

    /// The worker with most room; among equals, the one that has waited longest for work.
    private func freeWorker(of service: BusName) -> Peer? {
        var best: (peer: Peer, room: Int, lastDispatch: UInt64)?
        for peer in lines[service]?.workers ?? [] {
            guard let member = members[peer], member.room > 0 else { continue }
            if let best, best.room > member.room { continue }
            if let best, best.room == member.room, best.lastDispatch <= member.lastDispatch { continue }
            best = (peer, member.room, member.lastDispatch)
        }
        return best?.peer
    }

    private mutating func dispatch(_ id: RequestID, to worker: Peer) -> Action {
        guard let request = calls[id]?.request else { preconditionFailure("only known calls are dispatched") }
        calls[id]?.worker = worker
        dispatches += 1
        members[worker]?.running.insert(id)
        members[worker]?.lastDispatch = dispatches
        statistics.dispatched += 1
        return .dispatch(to: worker, request)
    }

    /// Gives waiting requests to workers with room, oldest first.
    mutating func dispatchQueued(of service: BusName, at now: BusTime) -> [Action] {
        var actions: [Action] = []
        while let id = lines[service]?.queue.first, let call = calls[id] {
            if now.steady >= call.expiresAt {
                actions += refuseQueued(id, WireError(.deadlineExceeded))
            } else if let worker = freeWorker(of: service) {
                dequeue(id, call)
                actions.append(dispatch(id, to: worker))
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

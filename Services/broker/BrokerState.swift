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
        case note(Note)
    }

    /// What an operator should know.
    package enum Note: Equatable, Sendable {
        case joined(service: BusName, instance: BusName, capacity: UInt16)
        case left(service: BusName, instance: BusName, Departure)
        /// Once per peer.
        case foreignBytes(Peer, FrameFault)
        /// Workers were lost over this request: it is not given to another one.
        case setAside(RequestID, service: BusName)
        case tooManyMembers(Peer)
    }

    /// Why a member is none any more.
    package enum Departure: Equatable, Sendable { case disconnected, silent, superseded }

    /// A process that said `ready`.
    struct Member: Sendable {
        var service: BusName
        var instance: BusName
        var capacity: Int
        /// It said `disconnect`: it gets nothing new.
        var isLeaving = false
        var lastHeard: Instant
        var running: Set<RequestID> = []
        /// Grows with each request it gets: among equals, the one with the oldest is next.
        var lastDispatch: UInt64 = 0

        var room: Int { isLeaving ? 0 : capacity - running.count }
        var isWorker: Bool { !isLeaving && capacity > 0 }
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
    /// Since the start.
    package internal(set) var statistics = BrokerStatistics()

    private var foreignPeers: Set<Peer> = []
    private let startedAt: Instant
    private var lastTick: Instant
    private var nextHeartbeat: Instant
    private var dispatches: UInt64 = 0
    /// Nothing new is taken; what runs may finish.
    private var isStopping = false

    package init(limits: BrokerLimits = .init(), at now: BusTime) {
        self.limits = limits
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
        for (peer, member) in members where now.steady - member.lastHeard >= limits.liveness {
            actions += lose(peer, .silent, at: now)
        }
        actions += expireCalls(at: now)
        if now.steady >= nextHeartbeat {
            nextHeartbeat = now.steady + limits.heartbeatInterval
            actions += members.keys.map { .heartbeat($0) }
        }
        return actions
    }

    /// A message could not be delivered, because the connection is gone.
    package mutating func lost(_ peer: Peer, at now: BusTime) -> [Action] {
        lose(peer, .disconnected, at: now)
    }

    /// An event of the broker's own for every member.
    package func publish(_ body: ZeroMQFrame) -> [Action] {
        members.keys.map { .event(to: $0, body) }
    }

    /// Takes nothing new from here on, and refuses what waits.
    package mutating func beginStopping(at now: BusTime) -> [Action] {
        isStopping = true
        return calls.filter { $0.value.worker == nil }.keys.flatMap { refuseQueued($0, Self.stopping) }
    }

    /// Whether everything that was taken is answered.
    package var isIdle: Bool { calls.isEmpty }

    /// The last words: nobody who hears them counts on this broker any more.
    package func farewells() -> [Action] {
        members.keys.map { .disconnect($0) }
    }

    private static let stopping = WireError(.unavailable, "the broker is stopping")

    // MARK: Members

    private mutating func join(_ ready: Frames.Ready, from peer: Peer, at now: BusTime) -> [Action] {
        var actions: [Action] = []
        if let member = members[peer], member.service != ready.service || member.instance != ready.instance {
            actions += lose(peer, .superseded, at: now)
        }
        // A process that was started again is known at once, without waiting for the silence of the old one.
        let old = members.first {
            $0.key != peer && $0.value.service == ready.service && $0.value.instance == ready.instance
        }
        if let old { actions += lose(old.key, .superseded, at: now) }
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
        guard let member = members[peer], !member.isLeaving else { return [] }
        members[peer]?.isLeaving = true
        dismiss(peer, from: member.service, at: now)
        return [.note(.left(service: member.service, instance: member.instance, .disconnected))]
    }

    private mutating func dismiss(_ peer: Peer, from service: BusName, at now: BusTime) {
        guard let place = lines[service]?.workers.firstIndex(of: peer) else { return }
        lines[service]?.workers.remove(at: place)
        lines[service]?.lastWorkerAt = now.steady
    }

    /// Forgets a connection: its work goes to others or is refused, and nobody wants what it asked.
    private mutating func lose(_ peer: Peer, _ departure: Departure, at now: BusTime) -> [Action] {
        foreignPeers.remove(peer)
        abandonCalls(of: peer)
        guard let member = members.removeValue(forKey: peer) else { return [] }
        dismiss(peer, from: member.service, at: now)
        var actions: [Action] = []
        if !member.isLeaving {
            actions.append(.note(.left(service: member.service, instance: member.instance, departure)))
        }
        for id in member.running { actions += recover(id, at: now) }
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
        return members.keys.filter { $0 != peer }.map { .event(to: $0, body) }
    }

    // MARK: Requests

    private mutating func take(_ request: Frames.Request, from caller: Peer, at now: BusTime) -> [Action] {
        if let known = calls[request.id] {
            statistics.duplicates += 1
            if known.caller == caller { return [] }  // The first one will be answered.
            return refuse(caller, request.id, WireError(.invalidRequest, "the request id is in use"))
        }
        guard !isStopping else { return refuse(caller, request.id, Self.stopping) }
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

    /// Does what can be done for a request whose worker is gone.
    private mutating func recover(_ id: RequestID, at now: BusTime) -> [Action] {
        guard var call = calls[id] else { return [] }
        call.worker = nil
        call.workersLost += 1
        call.queuedAt = now.steady
        calls[id] = nil
        guard let caller = call.caller else { return [] }
        guard call.request.isRepeatable else {
            return refuse(caller, id, WireError(.unavailable, "the worker was lost"))
        }
        guard call.workersLost < limits.workersLostPerRequest else {
            // Not `unavailable`, which callers may try again.
            return refuse(caller, id, WireError(.internal, "\(call.workersLost) workers were lost over this request"))
                + [.note(.setAside(id, service: call.request.service))]
        }
        guard !isStopping else { return refuse(caller, id, Self.stopping) }
        statistics.dispatchedAgain += 1
        calls[id] = call
        enqueue(id, call, first: true)
        return []
    }

    mutating func refuse(_ caller: Peer, _ id: RequestID, _ error: WireError) -> [Action] {
        statistics.refused[error.code, default: 0] += 1
        return [.refuse(caller, id, error)]
    }
}

import Contracts
import EventLoop
import JSON
import Tracing
import ZeroMQ

/// Owns the sockets, on the thread of an event loop. It performs what `PendingReplies` and `BrokerLink` decide.
final class BusLoop: EventSource {
    private typealias Instant = ContinuousClock.Instant

    /// The maximum number of messages read from one socket before commands are performed.
    private static let batch = 256
    /// The maximum of replies that wait for room in one connection. Each is that of a request which the broker sent.
    private static let maximumUnsentReplies = 1024

    private let settings: BusSettings
    private let machine: any BusMachine
    private let handler: BusHandler?
    private let spans: SpanRecorder?
    private let note: @Sendable (BusDiagnostic) -> Void
    private let outbox: BusCommandQueue
    private let events: Subscribers<BusEvent>
    private let reports: Subscribers<ProcessReport>
    private let onStatus: @Sendable (BusStatus) -> Void
    /// The handlers run on the thread of the sockets.
    private let executor: any TaskExecutor

    let descriptors: [Int32]
    private let links: [BrokerSocket]
    private var pending: PendingReplies<CheckedContinuation<CallResult, Never>>
    private var commands: [BusCommand] = []
    private var nextLink = 0
    private var status = BusStatus()
    private var publishedStatus = BusStatus()
    /// Set when the process stops: the time after which the loop no longer waits for handlers.
    private var drainEndsAt: Instant?
    /// The time after which the loop no longer waits for the confirmation of brokers.
    private var confirmationEndsAt: Instant?
    /// Blocked payloads that this process passed from one broker to the others, and when each entry expires.
    private var passedOn: [PayloadDigest: Instant] = [:]
    private static let maximumPassedOn = 1024
    /// Of the table of peers, when it was last looked at.
    private var peersRevision = 0

    init(
        settings: BusSettings, machine: any BusMachine, handler: BusHandler?, spans: SpanRecorder?,
        note: @escaping @Sendable (BusDiagnostic) -> Void, outbox: BusCommandQueue, events: Subscribers<BusEvent>,
        reports: Subscribers<ProcessReport>,
        executor: any TaskExecutor,
        onStatus: @escaping @Sendable (BusStatus) -> Void
    ) throws {
        self.settings = settings
        self.machine = machine
        self.handler = handler
        self.spans = spans
        self.note = note
        self.outbox = outbox
        self.events = events
        self.reports = reports
        self.onStatus = onStatus
        self.executor = executor
        pending = .init(limit: settings.limits.pendingReplies, brokerGrace: settings.limits.brokerGrace)
        let now = machine.now().steady
        peersRevision = settings.keys?.revision ?? 0
        let sockets = try machine.connect(
            to: settings.brokers, with: settings.keys,
            signal: outbox.signal,
            onHostUnknown: { note(.hostUnknown(endpoint: $0.text)) })
        descriptors = try sockets.map { try $0.descriptor }
        links = sockets.map { BrokerSocket(socket: $0, state: BrokerLink(settings.limits, at: now)) }
    }

    /// Also when a socket has failed every caller gets a result.
    deinit {
        for continuation in pending.removeAll() {
            continuation.resume(returning: .failure(ServiceError(.unavailable)))
        }
    }

    func turn(hasInput: Bool) throws -> EventSourceState {
        outbox.drain(reusing: &commands)
        try followPeers()
        var now = machine.now()
        for command in commands { try perform(command, at: now) }
        commands.removeAll(keepingCapacity: true)
        try replyToHeartbeats()
        for link in links { try sendUnsentReplies(over: link) }
        if hasInput {
            for number in links.indices {
                _ = try receive(from: number, at: now)
                try checkConnection(links[number], at: now)
            }
        }
        now = machine.now()
        try sendWatch()
        try sendUnsent()
        try tick(at: now)
        try followHosts(at: now.steady)
        // Last, because every other use of a socket may consume the signal of its descriptor.
        var isBusy = false
        for (number, link) in links.enumerated() where link.mayHaveInput || link.socket.hasUnsignaledInput {
            isBusy = try receive(from: number, at: now) || isBusy
        }
        publishStatus()
        if isDone(at: now.steady) { return .finished }
        return try isBusy || owesReply || canSendMore ? .busy : .waiting(until: dueAt())
    }

    /// Connects with the keys of a changed table.
    private func followPeers() throws {
        guard let keys = settings.keys, keys.revision != peersRevision else { return }
        peersRevision = keys.revision
        for link in links {
            try link.socket.peersChanged()
            link.mayHaveInput = true
        }
    }

    /// Connects to addresses of brokers that are named by a host.
    private func followHosts(at now: Instant) throws {
        for link in links {
            link.followsHostAt = try link.socket.followHost(isConnected: link.state.isConnected, at: now)
            // A new connection may have consumed the signal of its socket.
            if link.followsHostAt != nil, !link.state.isConnected { link.mayHaveInput = true }
        }
    }

    /// Whether requests of this process may be sent over a link. What a process passes on that is no broker of the table
    /// counts as its own request.
    private func carriesRequests(_ number: Int) -> Bool {
        guard let keys = settings.keys else { return true }
        guard let peer = settings.brokers[number].peer.flatMap({ keys.table[$0] }) else { return false }
        return peer.isBroker || peer.keys.contains(keys.own.publicKey)
    }

    /// Whether a link accepts messages that it did not accept before, or has input.
    private var canSendMore: Bool {
        get throws {
            for (number, link) in links.enumerated() {
                // A call that is unsent while the broker is connected found the queue of the connection full.
                let waitsForRoom =
                    link.state.awaitsConnection || !link.unsentReplies.isEmpty
                    || (link.state.takesRequests && pending.nextUnsent() != nil && carriesRequests(number))
                guard waitsForRoom else { continue }
                let state = try link.socket.state
                // The check may have consumed the signal of this input.
                if state.canReceive { link.mayHaveInput = true }
                if state.canReceive || state.canSend { return true }
            }
            return false
        }
    }

    // MARK: Heartbeats

    /// Replies in the turn after a heartbeat. A report that is due in between is the reply, so the broker wakes up once.
    private func replyToHeartbeats() throws {
        for link in links where link.owesReply {
            link.owesReply = false
            _ = try send(.heartbeat, over: link)  // Without a connection the process joins again.
        }
    }

    private var owesReply: Bool { links.contains(where: \.owesReply) }

    // MARK: Waiting

    private func dueAt() -> Instant? {
        var dueAt = drainEndsAt
        if awaitsConfirmation, let end = confirmationEndsAt { dueAt = min(dueAt ?? end, end) }
        // Without a connection there is nothing to wait for but the connection.
        for link in links where !link.state.awaitsConnection {
            dueAt = min(dueAt ?? link.state.dueAt, link.state.dueAt)
        }
        for due in links.lazy.compactMap(\.followsHostAt) { dueAt = min(dueAt ?? due, due) }
        if let due = pending.dueAt() { dueAt = min(dueAt ?? due, due) }
        return dueAt
    }

    private func isDone(at now: Instant) -> Bool {
        guard let drainEndsAt, let confirmationEndsAt else { return false }
        if now >= drainEndsAt { return true }
        let hasReplied = status.running == 0 && links.allSatisfy(\.unsentReplies.isEmpty)
        return hasReplied && pending.isEmpty && (!awaitsConfirmation || now >= confirmationEndsAt)
    }

    private var awaitsConfirmation: Bool { links.contains { $0.awaitsConfirmation } }

    // MARK: Commands

    private func perform(_ command: BusCommand, at now: BusTime) throws {
        switch command {
        case .send(let call):
            refuse(
                pending.insert(
                    call.request, continuation: call.continuation, isRetryable: call.isRetryable,
                    expiresAt: call.expiresAt,
                    at: now.steady))
        case .cancel(let id):
            pending.remove(id)?.resume(returning: .failure(ServiceError(.deadlineExceeded, "the caller gave up")))
        case .reply(let number, let reply):
            guard links[number].running.remove(reply.id) != nil else { return }
            status.running -= 1
            try send(reply, over: links[number])
        case .publish(let message):
            if try firstLink(taking: message) == nil { status.droppedEvents += 1 }
        case .report(let ended):
            for link in links where link.state.isConnected { _ = try send(.ended(ended), over: link) }
        case .watch:
            for link in links where link.state.isConnected { link.mustWatch = true }
        case .beginShutdown:
            guard drainEndsAt == nil else { return }
            drainEndsAt = now.steady + settings.limits.drainTimeout
            confirmationEndsAt = now.steady + settings.limits.heartbeatTimeout
            for link in links {
                let isSent = try send(.disconnect, over: link)
                link.awaitsConfirmation = isSent && link.state.isConnected
            }
        }
    }

    private func sendUnsent() throws {
        while let request = pending.nextUnsent() {
            guard let number = try firstLink(taking: .request(request), where: carriesRequests) else { return }
            pending.markSent(request.id, through: number)
        }
    }

    private func sendWatch() throws {
        for link in links where link.mustWatch && link.state.isConnected {
            link.mustWatch = try !send(.watch, over: link)
        }
    }

    /// Tries the connected brokers. Those whose last failure is longest ago come first; equal ones take turns.
    private func firstLink(taking frames: BusMessage, where isUsable: (Int) -> Bool = { _ in true }) throws -> Int? {
        if links.count == 1, let only = links.first {
            return only.state.takesRequests && isUsable(0) ? try send(frames, over: only) ? 0 : nil : nil
        }
        nextLink = (nextLink + 1) % links.count
        let inTurn = links.indices.map { ($0 + nextLink) % links.count }
        let preferred = inTurn.filter { links[$0].state.takesRequests && isUsable($0) }.enumerated().sorted {
            left, right in
            switch (links[left.element].state.failedAt, links[right.element].state.failedAt) {
            case (nil, .some): true
            case (.some(let left), .some(let right)) where left != right: left < right
            case (.some, nil): false
            default: left.offset < right.offset
            }
        }
        for (_, number) in preferred where try send(frames, over: links[number]) { return number }
        return nil
    }

    /// Sends a reply, or keeps it until the connection has room. Without a connection it is lost, as is the broker that
    /// knew its caller.
    private func send(_ reply: BusMessage.Reply, over link: BrokerSocket) throws {
        try sendUnsentReplies(over: link)
        if link.unsentReplies.isEmpty, try send(.reply(reply), over: link) { return }
        guard link.state.isConnected, link.unsentReplies.count < Self.maximumUnsentReplies else {
            status.droppedReplies += 1
            return
        }
        link.unsentReplies.append(reply)
    }

    private func sendUnsentReplies(over link: BrokerSocket) throws {
        var sent = 0
        while sent < link.unsentReplies.count, try send(.reply(link.unsentReplies[sent]), over: link) { sent += 1 }
        if sent > 0 { link.unsentReplies.removeFirst(sent) }
    }

    /// - Returns: false when no connection can accept it now.
    private func send(_ frames: BusMessage, over link: BrokerSocket) throws -> Bool {
        link.mayHaveInput = true
        guard try link.socket.send(frames) else { return false }
        if case .report = frames { link.owesReply = false }
        return true
    }

    private func refuse(_ refused: PendingReplies<CheckedContinuation<CallResult, Never>>.FailedCall?) {
        if let refused { refused.continuation.resume(returning: .failure(refused.error)) }
    }

    // MARK: Input

    /// The end of a connection is input without a message.
    private func checkConnection(_ link: BrokerSocket, at now: BusTime) throws {
        // The check may consume the signal of input.
        link.mayHaveInput = true
        guard link.state.connectionChecked(accepts: try link.socket.state.canSend, at: now.steady) else { return }
        _ = try send(.heartbeat, over: link)
    }

    /// - Returns: whether a message was read.
    private func receive(from number: Int, at now: BusTime) throws -> Bool {
        let link = links[number]
        for count in 0..<Self.batch {
            link.mayHaveInput = false
            guard let input = try link.socket.receive() else { return count > 0 }
            let frames: BusMessage
            switch input {
            case .frames(let message): frames = message
            case .malformed(let error):
                if status.malformedMessages == 0 {
                    note(.malformedMessage(broker: settings.brokers[number].text, error))
                }
                status.malformedMessages += 1
                continue
            }
            switch frames {
            case .disconnect:
                link.awaitsConfirmation = false
                if link.state.isLeaving { _ = try send(.confirmed, over: link) }
                if link.state.disconnectReceived(at: now.steady) { brokerLost(number, at: now.steady) }
                continue
            case .reply(let reply):
                if let continuation = pending.remove(reply.id) {
                    continuation.resume(returning: .success(reply.body))
                } else {
                    status.lateReplies += 1
                }
            case .request(let request):
                try begin(request, from: number, at: now)
            case .event(let body):
                deliver(body, to: events)
            case .report(let body):
                deliver(body, to: reports)
            case .heartbeat:
                if !link.state.isConnected {
                    link.mustWatch = !reports.isEmpty
                    link.hasJoined = true
                }
                link.state.joined(at: now.steady)
                link.owesReply = true
            case .leaving:
                link.state.leaves()
                _ = try send(.confirmed, over: link)
            case .confirmed:
                link.awaitsConfirmation = false
            case .block(let payload, let milliseconds):
                try passOn(payload, milliseconds: milliseconds, from: number, at: now.steady)
            case .ready, .ended, .watch:
                status.malformedMessages += 1  // Brokers send none of these.
            }
            link.state.messageReceived(at: now.steady)
        }
        link.mayHaveInput = true
        return true
    }

    /// Brokers have no connection to each other, so their members pass blocked payloads on.
    private func passOn(_ payload: PayloadDigest, milliseconds: UInt32, from number: Int, at now: Instant) throws {
        guard links.count > 1 else { return }
        if let until = passedOn[payload], now < until { return }
        if passedOn.count >= Self.maximumPassedOn { passedOn = passedOn.filter { now < $0.value } }
        // Beyond the limit each broker detects the payload itself.
        guard passedOn.count < Self.maximumPassedOn else { return }
        passedOn[payload] = now + .milliseconds(Int64(milliseconds))
        for (other, link) in links.enumerated() where other != number && link.state.isConnected {
            _ = try send(.block(payload, milliseconds: milliseconds), over: link)
        }
    }

    private func deliver<Element: Decodable>(_ body: ZeroMQFrame, to subscribers: Subscribers<Element>) {
        guard !subscribers.isEmpty else { return }
        // An event of an unknown kind, for example of a newer version, is ignored.
        guard let element = try? WireJSON.decode(Element.self, from: [UInt8](body)) else { return }
        subscribers.yield(element)
    }

    private func begin(_ request: BusMessage.Request, from number: Int, at now: BusTime) throws {
        let link = links[number]
        guard let handler, request.deadline > now.wall, link.running.count < settings.capacity,
            !link.running.contains(request.id)
        else {
            if link.running.contains(request.id) { return }  // The running one gets the reply.
            status.refused += 1
            let error = request.deadline > now.wall ? .overloaded : ServiceError(.deadlineExceeded)
            try send(.init(refusing: request.id, WireError(error, now: now.wall)), over: link)
            return
        }
        link.running.insert(request.id)
        status.running += 1
        let callers = settings.keys.map { keys in
            settings.brokers[number].peer.map { keys.table.callers(through: $0, named: request.caller) } ?? []
        }
        Task(executorPreference: executor) { [outbox, note, machine, spans] in
            let reply = await BusCall.reply(
                to: request, from: callers, with: handler, at: { machine.now().wall }, recordingIn: spans, note: note)
            _ = outbox.enqueue(.reply(link: number, reply))
        }
    }

    // MARK: Time

    private func tick(at now: BusTime) throws {
        for (number, link) in links.enumerated() {
            for action in link.state.tick(isWaiting: !pending.isEmpty, at: now.steady) {
                switch action {
                case .sendReady:
                    // A stopping process does not join again.
                    let ready = BusMessage.Ready(
                        service: settings.service, instance: settings.instance,
                        capacity: drainEndsAt == nil ? settings.capacity : 0)
                    link.state.readySent(accepted: try send(.ready(ready), over: link), at: now.steady)
                case .sendHeartbeat:
                    _ = try send(.heartbeat, over: link)  // Without a connection, the heartbeat times out.
                case .disconnected:
                    brokerLost(number, at: now.steady)
                }
            }
        }
        for refused in pending.expire(at: now.steady) { refuse(refused) }
    }

    private func brokerLost(_ number: Int, at now: Instant) {
        links[number].awaitsConfirmation = false
        links[number].hasJoined = false
        status.droppedReplies += UInt64(links[number].unsentReplies.count)
        links[number].unsentReplies = []
        note(.brokerLost(endpoint: settings.brokers[number].text))
        for refused in pending.brokerLost(link: number, at: now) { refuse(refused) }
    }

    private func publishStatus() {
        status.connectedBrokers = links.count { $0.state.isConnected }
        status.pendingReplies = pending.count
        // Not the number decides: a broker can be lost and joined again between two calls.
        if links.contains(where: \.hasJoined) {
            for link in links { link.hasJoined = false }
            note(.connected(connectedBrokers: status.connectedBrokers))
        }
        guard status != publishedStatus else { return }
        publishedStatus = status
        onStatus(status)
    }
}

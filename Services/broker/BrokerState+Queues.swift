internal import Bus
internal import Contracts

/// The bookkeeping of requests that wait: every one is in `calls` without a worker, in its service's queue, and counted
/// for its caller and in total.
extension BrokerState {
    mutating func enqueue(_ id: RequestID, _ call: Call, first: Bool) {
        let service = call.request.service
        var line = lines.removeValue(forKey: service) ?? Line(lastWorkerAt: call.queuedAt)
        if first { line.queue.prepend(id) } else { line.queue.append(id) }
        if let caller = call.caller { line.queuedByCaller[caller, default: 0] += 1 }
        lines[service] = line
        queuedInTotal += 1
    }

    /// Takes out the request at the head of its queue.
    mutating func dequeue(_ id: RequestID, _ call: Call) {
        let first = lines[call.request.service]?.queue.popFirst()
        precondition(first == id, "only the head of a queue is taken out")
        uncount(call)
    }

    private mutating func uncount(_ call: Call) {
        queuedInTotal -= 1
        guard let caller = call.caller, let queued = lines[call.request.service]?.queuedByCaller[caller] else { return }
        lines[call.request.service]?.queuedByCaller[caller] = queued > 1 ? queued - 1 : nil
    }

    private mutating func removeQueued(_ id: RequestID, _ call: Call) {
        calls[id] = nil
        if lines[call.request.service]?.queue.first == id {
            dequeue(id, call)
        } else {
            lines[call.request.service]?.queue.removeAll { $0 == id }
            uncount(call)
        }
    }

    mutating func refuseQueued(_ id: RequestID, _ error: WireError) -> [Action] {
        guard let call = calls[id], call.worker == nil else { return [] }
        removeQueued(id, call)
        guard let caller = call.caller else { return [] }
        return refuse(caller, id, error)
    }

    /// Nobody wants what a lost peer asked: what waits is dropped, and replies to what runs will be.
    mutating func abandonCalls(of peer: Peer) {
        for (id, call) in calls where call.caller == peer {
            if call.worker == nil {
                removeQueued(id, call)
            } else {
                calls[id]?.caller = nil
            }
        }
    }

    /// Refuses what waited too long, and frees the places of replies that never came.
    mutating func expireCalls(at now: BusTime) -> [Action] {
        var actions: [Action] = []
        for (service, line) in lines {
            let isAbandoned = line.workers.isEmpty
            for id in line.queue.all {
                guard let call = calls[id] else { continue }
                if now.steady >= call.expiresAt {
                    actions += refuseQueued(id, WireError(.deadlineExceeded))
                } else if isAbandoned && now.steady >= max(call.queuedAt, line.lastWorkerAt) + limits.workerGrace {
                    actions += refuseQueued(id, WireError(.unavailable, "no worker serves \(service)"))
                }
            }
            if isAbandoned && lines[service]?.queue.isEmpty == true
                && now.steady - line.lastWorkerAt >= limits.recently
            {
                lines[service] = nil
            }
        }
        return actions + freeForgottenPlaces(at: now)
    }

    private mutating func freeForgottenPlaces(at now: BusTime) -> [Action] {
        var services: Set<BusName> = []
        for (id, call) in calls {
            guard let worker = call.worker, now.steady >= call.expiresAt + limits.replyGrace else { continue }
            // The caller has stopped waiting at the deadline.
            calls[id] = nil
            members[worker]?.running.remove(id)
            statistics.lostReplies += 1
            services.insert(call.request.service)
        }
        return services.flatMap { dispatchQueued(of: $0, at: now) }
    }
}

import Bus
import Contracts

/// Waiting requests. Each one is in `pendingRequests` without a worker, in the queue of its service, and counted for
/// its caller and in total.
extension BrokerState {
    mutating func enqueue(_ id: RequestID, _ call: PendingRequest, first: Bool) {
        let service = call.request.service
        var line = queues.removeValue(forKey: service) ?? ServiceQueue(lastWorkerLeftAt: call.queuedAt)
        if first { line.queue.prepend(id) } else { line.queue.append(id) }
        if let caller = call.caller { line.queuedByCaller[caller, default: 0] += 1 }
        queues[service] = line
        queuedInTotal += 1
    }

    /// Removes the request at the head of its queue.
    mutating func dequeue(_ id: RequestID, _ call: PendingRequest) {
        let first = queues[call.request.service]?.queue.popFirst()
        precondition(first == id, "only the head of a queue is taken out")
        removeFromCounts(call)
    }

    private mutating func removeFromCounts(_ call: PendingRequest) {
        queuedInTotal -= 1
        guard let caller = call.caller, let queued = queues[call.request.service]?.queuedByCaller[caller] else {
            return
        }
        queues[call.request.service]?.queuedByCaller[caller] = queued > 1 ? queued - 1 : nil
    }

    private mutating func removeQueued(_ id: RequestID, _ call: PendingRequest) {
        pendingRequests[id] = nil
        if queues[call.request.service]?.queue.first == id {
            dequeue(id, call)
        } else {
            queues[call.request.service]?.queue.removeAll { $0 == id }
            removeFromCounts(call)
        }
    }

    mutating func refuseQueued(_ id: RequestID, _ error: WireError) -> [Action] {
        guard let call = pendingRequests[id], call.worker == nil else { return [] }
        removeQueued(id, call)
        guard let caller = call.caller else { return [] }
        return refuse(caller, id, error)
    }

    /// Drops the waiting requests of a lost caller. The replies to its running requests will be dropped as well.
    mutating func dropRequests(from peer: Peer) {
        for (id, call) in pendingRequests where call.caller == peer {
            if call.worker == nil {
                removeQueued(id, call)
            } else {
                pendingRequests[id]?.caller = nil
            }
        }
    }

    /// Refuses requests that waited too long, and frees the slots of replies that never arrived.
    mutating func expireRequests(at now: BusTime) -> [Action] {
        var actions: [Action] = []
        for (service, line) in queues {
            let isAbandoned = line.workers.isEmpty
            for id in line.queue.all {
                guard let call = pendingRequests[id] else { continue }
                if now.steady >= call.expiresAt {
                    actions += refuseQueued(id, WireError(.deadlineExceeded))
                } else if isAbandoned && now.steady >= max(call.queuedAt, line.lastWorkerLeftAt) + limits.workerGrace {
                    actions += refuseQueued(id, WireError(.unavailable, "no worker serves \(service)"))
                }
            }
            if isAbandoned && queues[service]?.queue.isEmpty == true
                && now.steady - line.lastWorkerLeftAt >= limits.recentWorkerWindow
            {
                queues[service] = nil
                // As many series as services: a process that joins under ever new names would add some for ever.
                statistics.waits[service] = nil
            }
        }
        return actions + releaseAbandonedCapacity(at: now)
    }

    private mutating func releaseAbandonedCapacity(at now: BusTime) -> [Action] {
        var services: Set<BusName> = []
        for (id, call) in pendingRequests {
            guard let worker = call.worker, now.steady >= call.expiresAt + limits.replyGrace else { continue }
            // The caller has stopped waiting at the deadline.
            pendingRequests[id] = nil
            members[worker]?.running.remove(id)
            statistics.timedOutReplies += 1
            services.insert(call.request.service)
        }
        return services.flatMap { dispatchQueued(of: $0, at: now) }
    }
}

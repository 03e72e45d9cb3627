import Bus

extension BrokerState {
    /// What contradicts itself in the state; nil if nothing does. For tests: it visits every request and member.
    package var inconsistency: String? {
        let waiting = pendingRequests.filter { $0.value.worker == nil }
        if queuedInTotal != waiting.count { return "\(queuedInTotal) requests are counted, \(waiting.count) wait" }
        if queues.values.reduce(0, { $0 + $1.queue.all.count }) != waiting.count {
            return "the queues do not have the waiting requests"
        }
        for (service, queue) in queues {
            let ids = queue.queue.all
            if Set(ids).count != ids.count { return "a request waits twice" }
            for id in ids where waiting[id]?.request.service != service { return "a request waits for another service" }
            let counted = queue.queuedByCaller.values.reduce(0, +)
            let withCaller = ids.count { waiting[$0]?.caller != nil }
            if counted != withCaller { return "\(counted) requests of callers are counted, \(withCaller) wait" }
            let free = queue.workers.contains { (members[$0]?.availableCapacity ?? 0) > 0 }
            if free, !ids.isEmpty { return "a request waits beside a free worker" }
            for worker in queue.workers where members[worker]?.service != service {
                return "a queue has a worker that is no member"
            }
        }
        for (peer, member) in members {
            for id in member.running where pendingRequests[id]?.worker != peer {
                return "a worker runs a strange request"
            }
        }
        for member in members.values where member.isWorker && member.running.count > member.capacity {
            return "a worker has more requests than it takes"
        }
        for (id, call) in pendingRequests {
            guard let worker = call.worker else { continue }
            if members[worker]?.running.contains(id) != true { return "a request runs at no worker" }
        }
        if queuedInTotal > limits.queuedInTotal { return "too many requests wait" }
        if held.count > limits.heldMessages { return "too many messages are held" }
        return nil
    }
}

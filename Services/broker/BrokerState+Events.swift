package import Bus
package import ZeroMQ

/// Events, which are held back for a moment: those of several processes at the same time wake every receiver once.
extension BrokerState {
    /// Publishes an event of the broker itself to every member.
    package mutating func publish(_ body: ZeroMQFrame, at now: BusTime) -> [Action] {
        hold(body, from: nil, at: now)
    }

    mutating func holdEvent(_ body: ZeroMQFrame, from peer: Peer, at now: BusTime) -> [Action] {
        // A process that is not a member joins first. Its event is lost, which events may be.
        guard members[peer] != nil else { return [.disconnect(peer)] }
        statistics.events += 1
        return hold(body, from: peer, at: now)
    }

    private mutating func hold(_ body: ZeroMQFrame, from source: Peer?, at now: BusTime) -> [Action] {
        heldEvents.append((source, body))
        eventsDueAt = eventsDueAt ?? now.steady + limits.eventDelay
        return heldEvents.count < limits.heldEvents ? [] : releaseEvents()
    }

    /// Passes the events on to every member but the source of each.
    mutating func releaseEvents() -> [Action] {
        guard eventsDueAt != nil else { return [] }
        let peers = members.filter { $0.value.ending == nil }.keys
        let actions = heldEvents.flatMap { event in
            peers.filter { $0 != event.source }.map { Action.event(to: $0, event.body) }
        }
        heldEvents.removeAll(keepingCapacity: true)
        eventsDueAt = nil
        return actions
    }
}

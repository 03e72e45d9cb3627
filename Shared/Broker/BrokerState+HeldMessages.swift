package import Bus
package import ZeroMQ

/// Events and reports, which are held back for a moment: those of several processes at the same time wake every receiver
/// once.
extension BrokerState {
    /// What is passed on to several members.
    struct HeldMessage: Sendable {
        enum Kind {
            /// For every member.
            case event
            /// For the members that watch reports.
            case report
        }

        var kind: Kind
        /// Nil for the broker itself.
        var source: Peer?
        var body: ZeroMQFrame
    }

    /// Publishes the report of the broker itself.
    package mutating func publish(_ report: ZeroMQFrame, at now: BusTime) -> [Action] {
        hold(HeldMessage(kind: .report, source: nil, body: report), at: now)
    }

    /// A member gets the reports of the others from now on.
    mutating func watchReports(_ peer: Peer) -> [Action] {
        guard members[peer] != nil else { return [.disconnect(peer)] }
        members[peer]?.watchesReports = true
        return []
    }

    mutating func hold(
        _ kind: HeldMessage.Kind, _ body: ZeroMQFrame, from peer: Peer, at now: BusTime
    ) -> [Action] {
        // A process that is not a member joins first. What it published is lost, which events and reports may be.
        guard members[peer] != nil else { return [.disconnect(peer)] }
        statistics.events += 1
        return hold(HeldMessage(kind: kind, source: peer, body: body), at: now)
    }

    private mutating func hold(_ message: HeldMessage, at now: BusTime) -> [Action] {
        held.append(message)
        heldDueAt = heldDueAt ?? now.steady + limits.holdTime
        return held.count < limits.heldMessages ? [] : releaseHeld()
    }

    /// Passes each message on to the members that it is for, but not to its source.
    mutating func releaseHeld() -> [Action] {
        guard heldDueAt != nil else { return [] }
        let receivers = members.filter { $0.value.ending == nil }
        let actions = held.flatMap { message in
            receivers.filter { $0.key != message.source }.compactMap { peer, member -> Action? in
                switch message.kind {
                case .event: .event(to: peer, message.body)
                case .report: member.watchesReports ? .processReport(to: peer, message.body) : nil
                }
            }
        }
        held.removeAll(keepingCapacity: true)
        heldDueAt = nil
        return actions
    }
}

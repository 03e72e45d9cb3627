import Bus

/// When heartbeats are sent, and which members are lost without a reply to them.
///
/// The broker sets the rhythm: it sends heartbeats often while it has requests, because a lost worker delays them, and
/// rarely otherwise, because each heartbeat wakes two processes. A member replies to each heartbeat.
extension BrokerState {
    /// The latest time at which `tick` must be called again.
    package var dueAt: Instant {
        let nextCheck = lastTick + limits.checkInterval
        var dueAt = heldDueAt.map { min($0, nextHeartbeat) } ?? nextHeartbeat
        if !pendingRequests.isEmpty || stopping != .no { return min(dueAt, nextCheck) }
        for member in members.values {
            if member.ending != nil { return min(dueAt, nextCheck) }
            if let lossAt = lossAt(of: member) { dueAt = min(dueAt, lossAt) }
        }
        return dueAt
    }

    /// When a member is lost if it sends nothing until then; nil before the next heartbeat to it.
    private func lossAt(of member: Member) -> Instant? {
        member.unansweredSince.map {
            max(member.lastMessageAt + limits.heartbeatTimeout, $0 + limits.answerTimeout)
        }
    }

    mutating func removeSilentMembers(at now: BusTime) -> [Action] {
        var actions: [Action] = []
        for (peer, member) in members where member.ending == nil {
            guard let lossAt = lossAt(of: member), now.steady >= lossAt else { continue }
            actions += removeLostMember(peer, .heartbeatTimeout, .noRequest, at: now)
        }
        return actions
    }

    /// After a pause of the broker itself (a suspended machine, a debugger), missing replies mean nothing.
    mutating func forgivePause(at now: BusTime) {
        guard now.steady - nextHeartbeat >= limits.heartbeatTimeout / 2 else { return }
        for (peer, member) in members where member.unansweredSince != nil {
            members[peer]?.unansweredSince = now.steady
        }
    }

    /// The first request arrived: its worker must not be lost unnoticed until the next idle heartbeat.
    mutating func beginWork(at now: BusTime) {
        nextHeartbeat = min(nextHeartbeat, now.steady + limits.heartbeatInterval)
    }

    /// Heartbeats to all members, if they are due. A failed send also reveals a closed connection.
    mutating func sendDueHeartbeats(at now: BusTime) -> [Action] {
        guard now.steady >= nextHeartbeat else { return [] }
        let isIdle = pendingRequests.isEmpty && stopping == .no
        nextHeartbeat = now.steady + (isIdle ? limits.idleHeartbeatInterval : limits.heartbeatInterval)
        switch stopping {
        case .no, .announced, .refusing:
            let peers = members.filter { $0.value.ending == nil }.keys
            return peers.map { heartbeat(to: $0, at: now) }
        case .disconnecting:
            // A heartbeat would mean that the member has joined.
            return members.filter { $0.value.ending == nil && !$0.value.hasDisconnected }.keys.map { .disconnect($0) }
        }
    }

    /// A heartbeat that is no reply gets one: the member wants to know whether this broker works.
    mutating func answerHeartbeat(of peer: Peer, at now: BusTime) -> [Action] {
        guard let member = members[peer] else { return [.disconnect(peer)] }
        members[peer]?.repliesNext = false
        if case .disconnecting = stopping { return [] }
        return member.repliesNext || member.ending != nil ? [] : [heartbeat(to: peer, at: now)]
    }

    mutating func heartbeat(to peer: Peer, at now: BusTime) -> Action {
        if members[peer]?.unansweredSince == nil { members[peer]?.unansweredSince = now.steady }
        members[peer]?.repliesNext = true
        return .heartbeat(peer)
    }
}

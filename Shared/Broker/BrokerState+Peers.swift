package import Bus
import Contracts
package import ZeroMQ

extension BrokerState {
    /// The table of peers has changed: removes the members whose key it no longer has, or that join under a name which
    /// their key does not permit.
    package mutating func removeUnlisted(at now: BusTime, _ sender: (CurvePublicKey?) -> BusSender) -> [Action] {
        let refused = members.filter { _, member in
            switch sender(member.key) {
            case .process: false
            case .peer(let peer, _): !peer.serves.contains(member.service)
            case .unlisted: true
            }
        }
        return refused.keys.sorted { $0.number < $1.number }.flatMap { peer in
            removeLostMember(peer, .notPermitted, .noRequest, at: now) + [.disconnect(peer)]
        }
    }

    /// A message of a process that its key does not permit. It gets no reply.
    mutating func refuse(
        _ peer: Peer, of sender: BusSender, service: BusName?, at now: BusTime
    ) -> [Action] {
        statistics.messagesNotPermitted += 1
        let actions = members[peer] == nil ? [] : removeLostMember(peer, .notPermitted, .noRequest, at: now)
        guard refusedPeers.count < limits.malformedPeersTracked, refusedPeers.insert(peer).inserted else {
            return actions
        }
        return actions + [.report(.peerNotPermitted(peer, name: sender.name, service: service))]
    }
}

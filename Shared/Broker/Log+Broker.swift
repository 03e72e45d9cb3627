import Bus
import ServiceRuntime

extension Log {
    /// Logs a diagnostic of the broker's state.
    func report(_ diagnostic: BrokerState.Diagnostic) {
        switch diagnostic {
        case .memberJoined(let service, let instance, let capacity):
            info(
                .brokerMemberJoined,
                [
                    "service": .public(service.rawValue), "instance": .public(instance.rawValue),
                    "capacity": .public(capacity),
                ])
        case .memberLeft(let service, let instance, let reason):
            let fields: Fields = [
                "service": .public(service.rawValue), "instance": .public(instance.rawValue),
                "reason": .public("\(reason)"),
            ]
            switch reason {
            case .disconnected, .replaced, .ended: info(.brokerMemberLeft, fields)
            case .heartbeatTimeout, .notPermitted: warn(.brokerMemberLeft, fields)
            }
        case .malformedMessage(let peer, let error):
            warn(.brokerMessageMalformed, ["peer": .public(Int64(peer.number)), "error": .public("\(error)")])
        case .blocked(let payload, let service, let duration):
            error(
                .brokerRequestBlocked,
                [
                    // The digest itself would allow a check of guessed passwords. This tag identifies a payload in this
                    // process only.
                    "payload": .public(String(UInt(bitPattern: payload.hashValue), radix: 16)),
                    "service": .public(service?.rawValue ?? "-"), "for": .public(duration),
                ])
        case .requestQuarantined(let id, let service):
            error(
                .brokerRequestQuarantined,
                ["request": .public(id.description), "service": .public(service.rawValue)])
        case .peerNotPermitted(let peer, let name, let service):
            error(
                .brokerPeerNotPermitted,
                [
                    "peer": .public(Int64(peer.number)), "name": .public(name?.rawValue ?? "-"),
                    "service": .public(service?.rawValue ?? "-"),
                ])
        case .memberRefused(let peer):
            error(.brokerMemberRefused, ["peer": .public(Int64(peer.number))])
        }
    }
}

internal import Bus
internal import ServiceRuntime

extension Log {
    /// Writes what the broker's state wants known.
    func report(_ note: BrokerState.Note) {
        switch note {
        case .joined(let service, let instance, let capacity):
            info(
                "broker.joined",
                [
                    "service": .public(service.rawValue), "instance": .public(instance.rawValue),
                    "capacity": .public(capacity),
                ])
        case .left(let service, let instance, let departure):
            let fields: Fields = [
                "service": .public(service.rawValue), "instance": .public(instance.rawValue),
                "departure": .public("\(departure)"),
            ]
            switch departure {
            case .disconnected, .superseded, .ended: info("broker.left", fields)
            case .silent: warn("broker.left", fields)
            }
        case .foreignBytes(let peer, let fault):
            warn("broker.foreign-bytes", ["peer": .public(Int64(peer.number)), "fault": .public("\(fault)")])
        case .blocked(let payload, let service, let duration):
            error(
                "broker.request-blocked",
                [
                    // The digest itself would tell a guessed password from a wrong guess. This tag is good in this
                    // process alone, where it tells payloads apart.
                    "payload": .public(String(UInt(bitPattern: payload.hashValue), radix: 16)),
                    "service": .public(service?.rawValue ?? "-"), "for": .public(duration),
                ])
        case .setAside(let id, let service):
            error("broker.set-aside", ["request": .public(id.description), "service": .public(service.rawValue)])
        case .tooManyMembers(let peer):
            error("broker.too-many-members", ["peer": .public(Int64(peer.number))])
        }
    }
}

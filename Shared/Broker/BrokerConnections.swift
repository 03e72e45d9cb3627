package import Bus
import ZeroMQ

/// The connections of a broker inside another process: that of the process itself, in memory, beside those of all others.
package final class BrokerConnections: BrokerRouting {
    private let others: any BrokerRouting
    private let own: MemoryConnection
    private let keys: BusKeys?
    private var isTurnOfOwn = false

    /// - Parameters:
    ///   - keys: of the process; nil without keys.
    ///   - wake: gives the broker a turn.
    package init(
        _ others: any BrokerRouting, own: MemoryConnection, keys: BusKeys? = nil, wake: @escaping @Sendable () -> Void
    ) {
        self.others = others
        self.keys = keys
        self.own = own
        own.openBroker(wake: wake)
    }

    deinit {
        own.closeBroker()
    }

    /// The own process and all others take turns, so neither can keep the broker from the other.
    package func receive() throws -> BrokerInput? {
        isTurnOfOwn.toggle()
        if isTurnOfOwn, let input = receiveOwn() { return input }
        return try others.receive() ?? receiveOwn()
    }

    private func receiveOwn() -> BrokerInput? {
        own.receiveAtBroker().map { message in
            BrokerInput(
                from: .ownProcess, keys.map { $0.sender(with: $0.own.publicKey) } ?? .process, .frames(message))
        }
    }

    package func send(_ message: BusMessage, to peer: Peer) throws -> BrokerSendOutcome {
        guard peer == .ownProcess else { return try others.send(message, to: peer) }
        return switch own.sendToMember(message) {
        case .sent: .sent
        case .full: .full
        case .closed: .gone
        }
    }

    package var descriptors: [Int32] { others.descriptors }

    package var hasUnsignaledInput: Bool { own.hasMessageForBroker || others.hasUnsignaledInput }
}

package import Bus

/// The connections of a broker inside another process: that of the process itself, in memory, beside those of all others.
package final class BrokerConnections: BrokerRouting {
    private let others: any BrokerRouting
    private let own: MemoryConnection
    private var isTurnOfOwn = false

    /// - Parameter wake: gives the broker a turn.
    package init(_ others: any BrokerRouting, own: MemoryConnection, wake: @escaping @Sendable () -> Void) {
        self.others = others
        self.own = own
        own.openBroker(wake: wake)
    }

    deinit {
        own.closeBroker()
    }

    /// The own process and all others take turns, so neither can keep the broker from the other.
    package func receive() throws -> (Peer, BusInput)? {
        isTurnOfOwn.toggle()
        if isTurnOfOwn, let input = receiveOwn() { return input }
        return try others.receive() ?? receiveOwn()
    }

    private func receiveOwn() -> (Peer, BusInput)? {
        own.receiveAtBroker().map { (.ownProcess, .frames($0)) }
    }

    package func send(_ message: BusMessage, to peer: Peer) throws -> BrokerSendOutcome {
        guard peer == .ownProcess else { return try others.send(message, to: peer) }
        return switch own.sendToMember(message) {
        case .sent: .sent
        case .full: .full
        case .closed: .gone
        }
    }

    package var descriptor: Int32 { get throws { try others.descriptor } }

    package var hasUnsignaledInput: Bool { own.hasMessageForBroker || others.hasUnsignaledInput }
}

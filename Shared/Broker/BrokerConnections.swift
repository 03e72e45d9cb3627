package import Bus
package import EventLoop
import ZeroMQ

/// The connections of a broker inside another process: those of the process itself, in memory, beside those of all others.
package final class BrokerConnections: BrokerRouting {
    private let others: any BrokerRouting
    /// Of the members in this process, by their numbers.
    private let own: [MemoryConnection]
    private let keys: BusKeys?
    /// The member whose turn is next; `own.count` for the others.
    private var turn = 0

    /// - Parameters:
    ///   - keys: of the process; nil without keys.
    ///   - signal: that of the broker.
    package init(
        _ others: any BrokerRouting, own: [MemoryConnection], keys: BusKeys? = nil, signal: SourceSignal
    ) {
        self.others = others
        self.keys = keys
        self.own = own
        for member in own { member.openBroker(signal) }
    }

    deinit {
        for member in own { member.closeBroker() }
    }

    /// Each member in this process and all others together take turns, so that none can keep the broker from another.
    package func receive() throws -> BrokerInput? {
        for _ in 0...own.count {
            let next = turn
            turn = next == own.count ? 0 : next + 1
            if let input = next == own.count ? try others.receive() : receive(fromOwn: next) { return input }
        }
        return nil
    }

    private func receive(fromOwn number: Int) -> BrokerInput? {
        own[number].receiveAtBroker().map { message in
            BrokerInput(
                from: .inProcess(number), keys.map { $0.sender(with: $0.own.publicKey) } ?? .process, .frames(message))
        }
    }

    package func send(_ message: BusMessage, to peer: Peer) throws -> BrokerSendOutcome {
        guard peer.isInProcess else { return try others.send(message, to: peer) }
        return switch own[Int(peer.number)].sendToMember(message) {
        case .sent: .sent
        case .full: .full
        case .closed: .gone
        }
    }

    package var descriptors: [Int32] { others.descriptors }

    package var hasUnsignaledInput: Bool { own.contains(where: \.hasMessageForBroker) || others.hasUnsignaledInput }
}

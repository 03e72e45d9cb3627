import Synchronization
package import ZeroMQ

/// The key of this process, and the table of peers as it was last read. A process without them has no keys, and takes part
/// only in a bus of one user on one machine.
package final class BusKeys: Sendable {
    private struct State {
        var table: PeerTable
        /// Grows with each change of the table.
        var revision = 0
        var observers: [@Sendable () -> Void] = []
    }

    package let own: CurveKeyPair
    private let state: Mutex<State>

    package init(own: CurveKeyPair, table: PeerTable) {
        self.own = own
        state = Mutex(State(table: table))
    }

    package var table: PeerTable { state.withLock(\.table) }

    /// Changes with the table.
    package var revision: Int { state.withLock(\.revision) }

    /// Who holds a key now.
    package func sender(with key: CurvePublicKey?) -> BusSender {
        guard let key, let peer = state.withLock({ $0.table.peer(with: key) }) else { return .unlisted }
        return .peer(peer, key)
    }

    /// Replaces the table, for connections that exist too.
    package func replace(with table: PeerTable) {
        let observers: [@Sendable () -> Void] = state.withLock { state in
            guard state.table != table else { return [] }
            state.table = table
            state.revision &+= 1
            return state.observers
        }
        for observer in observers { observer() }
    }

    /// Calls `body` after each change, on the thread that changes the table.
    package func observe(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers.append(body) }
    }
}

/// Who sent a message to a broker.
package enum BusSender: Hashable, Sendable {
    /// The bus has no keys: a process of the user.
    case process
    /// The peer that holds the key of the connection.
    case peer(BusPeer, CurvePublicKey)
    /// The table has the key of the connection no longer.
    case unlisted

    /// The name that a broker writes into the header of a request.
    package var name: BusName? {
        switch self {
        case .process, .unlisted: nil
        case .peer(let peer, _): peer.name
        }
    }

    package var key: CurvePublicKey? {
        switch self {
        case .process, .unlisted: nil
        case .peer(_, let key): key
        }
    }

    /// Whether it may join under the name of a service.
    package func maySend(_ ready: BusMessage.Ready) -> Bool {
        switch self {
        case .process: true
        case .peer(let peer, _): peer.serves.contains(ready.service)
        case .unlisted: false
        }
    }
}

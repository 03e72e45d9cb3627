package import Contracts
package import ZeroMQ

/// A process that may join the bus with its key (security rule BU2).
package struct BusPeer: Hashable, Sendable {
    /// Unique in the table, for example `identity-a`.
    package var name: BusName
    package var publicKey: CurvePublicKey
    /// The key that replaces it. Both are valid (security rule BU11).
    package var nextPublicKey: CurvePublicKey?
    /// The services, and names of commands, as which it may join.
    package var serves: Set<BusName>
    /// The callers as which its requests count.
    package var calls: Set<BusCaller>
    /// Whether its word about the caller of a request counts. What another broker passes on, such as that of a gateway, is
    /// a request of that broker.
    package var isBroker: Bool

    package init(
        name: BusName, publicKey: CurvePublicKey, nextPublicKey: CurvePublicKey? = nil, serves: Set<BusName>,
        calls: Set<BusCaller> = [], isBroker: Bool = false
    ) {
        self.name = name
        self.publicKey = publicKey
        self.nextPublicKey = nextPublicKey
        self.serves = serves
        self.calls = calls
        self.isBroker = isBroker
    }

    package var keys: [CurvePublicKey] { [publicKey] + (nextPublicKey.map { [$0] } ?? []) }
}

/// Everybody who may join the bus, from `peers.toml`.
package struct PeerTable: Equatable, Sendable {
    package static let maximumPeers = 1024

    private let peers: [BusName: BusPeer]
    private let names: [CurvePublicKey: BusName]

    /// - Parameter peers: no two with an equal name or key.
    init(checked peers: [BusPeer]) {
        self.peers = Dictionary(peers.map { ($0.name, $0) }) { first, _ in first }
        names = Dictionary(peers.flatMap { peer in peer.keys.map { ($0, peer.name) } }) { first, _ in first }
    }

    package var count: Int { peers.count }

    package var all: some Collection<BusPeer> { peers.values }

    package subscript(name: BusName) -> BusPeer? { peers[name] }

    package func peer(with key: CurvePublicKey) -> BusPeer? { names[key].flatMap { peers[$0] } }

    /// The callers as which a request counts that a broker passed on.
    /// - Parameters:
    ///   - broker: the name of the broker.
    ///   - caller: the name that the broker wrote into its header; nil if it wrote none.
    package func callers(through broker: BusName, named caller: BusName?) -> Set<BusCaller> {
        guard let broker = peers[broker] else { return [] }
        guard broker.isBroker else { return broker.calls }
        return caller.flatMap { peers[$0] }?.calls ?? []
    }
}

import Broker
import Bus
import Contracts
import Testing
import ZeroMQ

/// What a broker with keys lets a process do: who may join as what, whose name a request has, and what follows when the
/// table of peers changes.
@Suite struct PeerAuthorityTests {
    private static func sender(_ name: String, serves: String, key: CurvePublicKey) throws -> BusSender {
        .peer(
            BusPeer(name: try #require(BusName(name)), publicKey: key, serves: [try #require(BusName(serves))]), key)
    }

    private static func key() throws -> CurvePublicKey { try CurveKeyPair.random().publicKey }

    private static func ready(_ service: String, _ instance: String) -> BusMessage {
        .ready(.init(service: name(service), instance: name(instance), capacity: 1))
    }

    @Test func processJoinsAsWhatItsKeyPermits() throws {
        for (serves, joins) in [("identity", true), ("notifier", false)] {
            var scene = BrokerHarness()
            let sender = try Self.sender("a", serves: serves, key: Self.key())
            let actions = scene.state.receive(
                .frames(Self.ready("identity", "1")), from: Peer(1), of: sender, at: scene.now)
            let hasJoined = actions.contains {
                if case .report(.memberJoined) = $0 { true } else { false }
            }
            #expect(hasJoined == joins)
            #expect(
                actions.contains(
                    .report(
                        .peerNotPermitted(Peer(1), name: name("a"), service: name("identity")))) == !joins)
        }
    }

    /// Whatever a process writes, the broker says who it is.
    @Test func requestHasTheNameOfItsConnection() throws {
        for sender in [BusSender.process, try Self.sender("edge", serves: "gateway", key: Self.key())] {
            var scene = BrokerHarness()
            scene.join(Peer(1))
            var request = scene.request(1, "identity")
            request.caller = name("operator")
            let actions = scene.state.receive(.frames(.request(request)), from: Peer(2), of: sender, at: scene.now)
            let names = actions.compactMap { action -> BusName?? in
                if case .dispatch(_, let request) = action { request.caller } else { nil }
            }
            #expect(names == [sender.name])
        }
    }

    @Test func unlistedKeyLosesItsMembershipAndIsReportedOnce() throws {
        var scene = BrokerHarness()
        let sender = try Self.sender("a", serves: "identity", key: Self.key())
        _ = scene.state.receive(.frames(Self.ready("identity", "1")), from: Peer(1), of: sender, at: scene.now)
        let first = scene.state.receive(.frames(.heartbeat), from: Peer(1), of: .unlisted, at: scene.now)
        #expect(first.contains(.report(.peerNotPermitted(Peer(1), name: nil, service: nil))))
        #expect(
            first.contains(
                .report(.memberLeft(service: name("identity"), instance: name("1"), .notPermitted))))
        let second = scene.state.receive(
            .frames(Self.ready("identity", "1")), from: Peer(1), of: .unlisted, at: scene.now)
        #expect(second == [])
        #expect(scene.state.statistics.messagesNotPermitted == 2)
    }

    @Test func changedTableRemovesMembersThatItNoLongerPermits() throws {
        var scene = BrokerHarness()
        let (kept, removed, demoted) = (try Self.key(), try Self.key(), try Self.key())
        for (number, key) in [kept, removed, demoted].enumerated() {
            let sender = try Self.sender("p\(number)", serves: "identity", key: key)
            _ = scene.state.receive(
                .frames(Self.ready("identity", "\(number)")), from: Peer(UInt32(number)), of: sender,
                at: scene.now)
        }
        let now: [CurvePublicKey?: BusSender] = [
            kept: try Self.sender("p0", serves: "identity", key: kept),
            demoted: try Self.sender("p2", serves: "notifier", key: demoted),
        ]
        let actions = scene.state.removeUnlisted(at: scene.now) { now[$0] ?? .unlisted }
        #expect(actions.filter { $0 == .disconnect(Peer(1)) || $0 == .disconnect(Peer(2)) }.count == 2)
        #expect(!actions.contains(.disconnect(Peer(0))))
    }
}

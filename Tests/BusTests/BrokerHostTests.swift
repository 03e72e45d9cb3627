import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Bus

/// Brokers that are named by a host: where a process connects, and when it looks the name up.
@Suite struct BrokerAddressChoiceTests {
    private static let start = ContinuousClock.now
    private var choice = BrokerAddressChoice(at: start)

    /// Whether the name is looked up, and the address after it, this many seconds after the start.
    private mutating func at(_ seconds: Int, _ addresses: [String], isConnected: Bool = false) -> (Bool, String?) {
        let looks = choice.update(addresses, isConnected: isConnected, at: Self.start + .seconds(seconds))
        return (looks, choice.current)
    }

    @Test mutating func nameIsLookedUpAtTheStartAndUntilItIsFound() {
        #expect(at(0, []) == (true, nil))
        #expect(at(1, []) == (false, nil))
        #expect(at(3, []) == (true, nil))
        #expect(at(4, ["a", "b"]) == (false, "a"))
    }

    @Test mutating func eachAddressHasItsTurn() {
        _ = at(0, [])
        #expect(at(0, ["a", "b"]) == (false, "a"))
        #expect(at(2, ["a", "b"]) == (false, "a"))
        #expect(at(3, ["a", "b"]) == (true, "b"))
        #expect(at(6, ["a", "b"]) == (true, "a"))
        // The name has another address now.
        #expect(at(9, ["c"]) == (true, "c"))
        #expect(at(12, []) == (true, "c"))
    }

    @Test mutating func connectedAddressStays() {
        _ = at(0, [])
        _ = at(0, ["a", "b"])
        #expect(at(1, ["a", "b"], isConnected: true) == (false, "a"))
        #expect(at(3, ["b"], isConnected: true) == (true, "a"))
        #expect(at(32, ["b"], isConnected: true) == (false, "a"))
        #expect(at(33, ["b"], isConnected: true) == (true, "a"))
    }

    /// It may come back where it was, for one attempt.
    @Test mutating func lostBrokerIsLookedUpAtOnce() {
        _ = at(0, [])
        _ = at(0, ["a", "b"])
        _ = at(1, ["a", "b"], isConnected: true)
        #expect(at(2, ["a", "b"]) == (true, "a"))
        #expect(at(4, ["b"]) == (false, "a"))
        #expect(at(5, ["b"]) == (true, "b"))
    }
}

@Suite struct BrokerHostTests {
    @Test func localNameHasAddressesInNumbers() {
        let addresses = BrokerHost.numericAddresses(of: "localhost")
        #expect(!addresses.isEmpty && addresses.allSatisfy { ["127.0.0.1", "[::1]"].contains($0) })
    }

    /// What an answer may contain, without a name server.
    @Test(arguments: [
        ("::1", ["[::1]"]), ("2001:DB8:0::1", ["[2001:db8::1]"]), ("192.0.2.1", ["192.0.2.1"]), ("fe80::1%lo", []),
        ("no host", []), ("", []),
    ])
    func addressesAreWrittenAlike(name: String, addresses: [String]) {
        #expect(BrokerHost.numericAddresses(of: name) == addresses)
    }

    /// A broker takes the second connection of a process for a restart of it.
    @Test func addressOfTwoNamesHasOneConnection() throws {
        final class Connection {}
        let (first, second, addresses) = (Connection(), Connection(), ConnectedAddresses())
        let (peer, other) = (try #require(BusName("broker-a")), try #require(BusName("broker-b")))
        addresses.take("tcp://192.0.2.1:9700", of: peer, for: first)
        #expect(addresses.isFree("tcp://192.0.2.1:9700", of: peer, for: first))
        #expect(!addresses.isFree("tcp://192.0.2.1:9700", of: peer, for: second))
        #expect(addresses.isFree("tcp://192.0.2.1:9700", of: other, for: second))
        #expect(addresses.isFree("tcp://192.0.2.1:9701", of: peer, for: second))
        addresses.take("tcp://192.0.2.2:9700", of: peer, for: first)
        #expect(addresses.isFree("tcp://192.0.2.1:9700", of: peer, for: second))
    }

    /// A name server that is dead takes no address away, and that it is dead is news once.
    @Test func addressesOutliveTheNameServer() async throws {
        let answers = Mutex([[], [], ["192.0.2.1"], [], [], ["192.0.2.2"]])
        let (looks, ended) = AsyncStream.makeStream(of: Bool.self)
        let host = BrokerHost(
            "broker.test", lookUp: { _ in answers.withLock { $0.removeFirst() } }, ended: { ended.yield($0) })
        var results = looks.makeAsyncIterator()
        for (isNews, addresses) in [
            (true, []), (false, []), (false, ["192.0.2.1"]), (true, ["192.0.2.1"]), (false, ["192.0.2.1"]),
            (false, ["192.0.2.2"]),
        ] {
            host.look()
            #expect(await results.next() == isNews)
            #expect(host.addresses == addresses)
        }
    }

    /// However often it is asked for, one look-up is under way at a time.
    @Test func lookUpsDoNotPileUp() async throws {
        let answer = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let (looks, ended) = AsyncStream.makeStream(of: Bool.self)
        let host = BrokerHost(
            "broker.test",
            lookUp: { _ in
                count.withLock { $0 += 1 }
                answer.wait()
                return []
            }, ended: { ended.yield($0) })
        for _ in 0..<100 { host.look() }
        answer.signal()
        var results = looks.makeAsyncIterator()
        _ = await results.next()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func addressesAreBounded() async throws {
        let (looks, ended) = AsyncStream.makeStream(of: Bool.self)
        let host = BrokerHost(
            "broker.test", lookUp: { _ in (0..<100).map { "192.0.2.\($0)" } }, ended: { ended.yield($0) })
        host.look()
        var results = looks.makeAsyncIterator()
        _ = await results.next()
        #expect(host.addresses.count == BrokerHost.maximumAddresses)
    }
}

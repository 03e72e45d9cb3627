import Bus
import Contracts
import TestSupport
import Testing
import ZeroMQ

@Suite struct PeerTableTests {
    private static let keys = (0..<4).compactMap { _ in try? CurveKeyPair.random().publicKey }

    private static func table(_ text: String) throws(PeerTableError) -> PeerTable {
        var text = text
        for (number, key) in keys.enumerated() { text = text.replacing("~\(number)", with: key.text) }
        return try PeerTable(text.utf8)
    }

    @Test func peersHaveWhatTheTableSays() throws {
        let table = try Self.table(
            """
            # The machines of the mesh.
            [[peer]]
            name = "identity-a"   # on the first
            public-key = "~0"
            next-public-key="~1"
            serves = [ "identity" , "notifier", ]
            calls = ["identity"]

              [[peer]]  # a broker\r
            name = "broker-a"
            public-key = "~2"
            serves = ["broker"]
            brokers = true
            [[peer]]
            name = "edge"
            public-key = "~3"
            serves = ["gateway"]
            calls = ["gateway-public"]
            brokers = false
            """)
        let identity = try #require(BusName("identity-a"))
        let broker = try #require(BusName("broker-a"))
        let edge = try #require(BusName("edge"))
        #expect(table.count == 3)
        #expect(
            table[identity]
                == BusPeer(
                    name: identity, publicKey: Self.keys[0], nextPublicKey: Self.keys[1],
                    serves: [BusName(.identity), BusName(.notifier)], calls: [.identity]))
        for key in Self.keys.prefix(2) { #expect(table.peer(with: key)?.name == identity) }
        #expect(table[broker]?.isBroker == true && table[edge]?.isBroker == false)
        // A broker vouches for others. What another process passes on is a request of its own.
        #expect(table.callers(through: broker, named: identity) == [.identity])
        #expect(table.callers(through: broker, named: BusName("nobody")) == [])
        #expect(table.callers(through: broker, named: nil) == [])
        #expect(table.callers(through: edge, named: identity) == [.publicGateway])
        #expect(table.callers(through: try #require(BusName("nobody")), named: identity) == [])
    }

    @Test func emptyTableHasNobody() throws {
        #expect(try PeerTable([]).count == 0)
        #expect(try PeerTable(Array("\n# nobody\n\n".utf8)).count == 0)
    }

    private static let start = "[[peer]]\nname = \"a\"\n"
    private static let whole = start + "public-key = \"~0\"\nserves = [\"identity\"]\n"

    @Test(
        arguments: [
            ("name = \"a\"", 1, nil, "before the first"),
            ("[peer]", 1, nil, "only [[peer]]"),
            ("[[peer]] x", 1, nil, "nothing but a comment"),
            ("[[peer]]\npublic-key = \"~0\"", 1, nil, "has no name"),
            (start, 1, "a", "has no public-key"),
            (start + "public-key = \"~0\"", 1, "a", "has no serves"),
            (start + "public-key = \"~0\"\nserves = []", 1, "a", "has no serves"),
            (start + "name = \"b\"", 3, "a", "set twice"),
            (start + "colour = \"red\"", 3, "a", "no member"),
            (start + "name", 3, "a", "NAME = VALUE"),
            (start + "= \"a\"", 3, "a", "NAME = VALUE"),
            (start + "public-key = \"short\"", 3, "a", "no public key"),
            (start + "public-key = true", 3, "a", "is a text"),
            (start + "serves = \"identity\"", 3, "a", "is a list"),
            (start + "serves = [\"identity\"", 3, "a", "ends with ]"),
            (start + "serves = [\"identity\" \"notifier\"]", 3, "a", "ends with ]"),
            (start + "serves = [\"identify\"]", 3, "a", "names no service"),
            (start + "calls = [\"root\"]", 3, "a", "names no caller"),
            (start + "brokers = \"true\"", 3, "a", "true or false"),
            (start + "brokers = truely", 3, "a", "nothing but a comment"),
            (start + "brokers = 1", 3, "a", "a value is"),
            (start + "public-key = \"unfinished", 3, "a", "between"),
            (start + "public-key = \"a\\n\"", 3, "a", "backslash"),
            ("[[peer]]\nname = \"with space\"", 2, nil, "a name is"),
            (whole + whole, 6, "a", "another peer has this name"),
            (
                whole + "[[peer]]\nname = \"b\"\npublic-key = \"~0\"\nserves = [\"identity\"]", 5, "b",
                "\"a\" has the same key"
            ),
            (whole + "next-public-key = \"~0\"", 1, "a", "both keys"),
            (whole + "calls = [\"gateway\"]", 1, "a", "nothing of its serves"),
            (whole + "calls = [\"operator\"]", 1, "a", "nothing of its serves"),
        ] as [(String, Int, String?, String)])
    func mistakesAreNamed(text: String, line: Int, peer: String?, problem: String) throws {
        let error = #expect(throws: PeerTableError.self) { try Self.table(text) }
        #expect(error?.line == line && error?.peer == peer, "\(text): \(error.map { "\($0)" } ?? "")")
        #expect(error?.problem.contains(problem) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func boundsAreEnforced() throws {
        func expect(_ bytes: [UInt8], _ problem: String) {
            let error = #expect(throws: PeerTableError.self) { try PeerTable(bytes) }
            #expect(error?.problem.contains(problem) == true)
        }
        expect(Array(repeating: 0x0a, count: PeerTable.maximumBytes + 1), "longer than")
        expect(Array("# ".utf8) + Array(repeating: 0x78, count: 4096), "longer than")
        expect([0x23, 0xff], "UTF-8")
        let names = Array(repeating: "\"identity\"", count: 65).joined(separator: ",")
        expect(Array((Self.start + "serves = [\(names)]").utf8), "more than 64")
        var text = ""
        for number in 0...PeerTable.maximumPeers {
            let key = try CurveKeyPair.random().publicKey.text
            text += "[[peer]]\nname = \"p\(number)\"\npublic-key = \"\(key)\"\nserves = [\"identity\"]\n"
            if number == PeerTable.maximumPeers - 1 {
                #expect(try PeerTable(text.utf8).count == PeerTable.maximumPeers)
            }
        }
        expect(Array(text.utf8), "more than \(PeerTable.maximumPeers)")
    }

    /// No sequence of bytes traps.
    @Test(arguments: 0..<200 as Range<UInt64>) func anyBytesAreReadOrRefused(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes = Array((Self.whole + "calls = [\"identity\"] # x\n").utf8)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
        }
        _ = try? PeerTable(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
    }
}

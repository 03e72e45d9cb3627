import Testing
import Vocabulary

struct ClientNetworkTests {
    @Test(
        arguments: [
            ("192.0.2.7", [192, 0, 2, 7]), ("::ffff:192.0.2.7", [192, 0, 2, 7]),
            ("2001:db8:1:2:3:4:5:6", [0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2]),
            ("2001:db8:1:2::", [0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2]),
            ("2001:db8::1", [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0]),
            ("1::2:3:4:5:6:7", [0, 1, 0, 0, 0, 2, 0, 3]), ("::", [0, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(String, [UInt8])])
    func addressIsReducedToItsNetwork(address: String, bytes: [UInt8]) {
        #expect(ClientNetwork(address) == .network(bytes))
    }

    @Test func siteIsTheFirst48BitsOfIPv6() {
        #expect(ClientNetwork("2001:db8:1:2::3")?.site == .network([0x20, 0x01, 0x0d, 0xb8, 0, 1]))
        for address in ["192.0.2.7", "::ffff:192.0.2.7", "127.0.0.1", "::1"] {
            #expect(ClientNetwork(address)?.site == nil)
        }
        #expect(ClientNetwork("2001:db8:1:2::3")?.counted.map(\.factor) == [1, ClientNetwork.siteFactor])
        #expect(ClientNetwork("192.0.2.7")?.counted.map(\.factor) == [1])
    }

    @Test(
        arguments: [
            ("192.0.2.7", "192.0.2.0/24"), ("::ffff:192.0.2.7", "192.0.2.0/24"), ("127.0.0.1", "127.0.0.0/24"),
            ("::1", "127.0.0.0/24"), ("2001:db8:1:2::3", "2001:db8:1::/48"), ("2001:db8::1", "2001:db8::/48"),
            ("2001:db8:0:ffff::1", "2001:db8::/48"), ("0:1:2::3", "0:1:2::/48"), ("::2", "::/48"),
        ])
    func userIsShownTheNetworkWithoutTheAddress(address: String, text: String) {
        #expect(ClientNetwork(address)?.shownText == text)
        #expect(ClientNetwork(address)?.site.map(\.shownText) ?? text == text)
    }

    @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
    func loopbackIsOneNetwork(address: String) {
        #expect(ClientNetwork(address) == .loopback && ClientNetwork(address)?.bytes == [127])
    }

    @Test(arguments: ["", "nonsense", ":::::", "192.0.2", "192.0.2.7.1", "2001:db8::1%eth0"])
    func malformedAddressHasNoNetwork(address: String) {
        #expect(ClientNetwork(address) == nil)
    }
}

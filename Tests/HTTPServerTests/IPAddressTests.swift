import HTTPServer
import Testing

struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("::1", "::1"), ("::", "::"),
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("fe80::1:0:0:1", "fe80::1:0:0:1"),
    ])
    func addressIsPrintedCanonically(text: String, canonical: String) throws {
        #expect(try #require(IPAddress(text)).description == canonical)
    }

    @Test(arguments: ["", "localhost", "127.1", "1.2.3.4.5", "256.0.0.1", "[::1]", "::1%lo", ":::", "1.2.3.4 "])
    func invalidAddressIsRejected(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.255.255", true), ("128.0.0.1", false), ("::1", true), ("::2", false),
        ("::ffff:127.0.0.1", true), ("0.0.0.0", false),
    ])
    func loopbackIsRecognized(text: String, isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }

    @Test func ipv6NetworkHas64BitPrefix() throws {
        let one = try #require(IPAddress("2001:db8:1:2:3:4:5:6"))
        let sameNetwork = try #require(IPAddress("2001:db8:1:2:ffff::1"))
        let otherNetwork = try #require(IPAddress("2001:db8:1:3::1"))
        #expect(one.network == sameNetwork.network)
        #expect(one.network != otherNetwork.network)
        #expect(IPAddress("192.0.2.1")?.network == IPAddress("192.0.2.1"))
    }
}

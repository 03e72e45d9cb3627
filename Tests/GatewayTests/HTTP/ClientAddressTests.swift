import HTTPServer
import Testing

@testable import GatewayService

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.8", false), ("192.0.2.0/25", "192.0.2.127", true),
        ("192.0.2.0/25", "192.0.2.128", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
        ("192.0.2.1/32", "192.0.2.1", true), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::1", false), ("::/0", "2001:db8::1", true), ("::1", "::1", true),
        ("::1", "::2", false), ("2001:db8::/64", "2001:db8::ffff:ffff:ffff:ffff", true),
        ("2001:db8::/65", "2001:db8::8000:0:0:0", false), ("2001:db8::4/126", "2001:db8::7", true),
        ("2001:db8::4/126", "2001:db8::8", false), ("127.0.0.1", "::ffff:127.0.0.1", true),
    ])
    func rangeContainsAddressesOfItsPrefix(range: String, address: String, isInside: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(#require(IPAddress(address))) == isInside)
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "::/129", "a/8", "10.0.0.0/8/8"])
    func invalidRangeIsRejected(text: String) {
        #expect(AddressRange(text) == nil)
    }
}

/// Security rule RL5.
@Suite struct ClientAddressTests {
    private let proxies = ["10.0.0.0/8", "2001:db8::/32"].compactMap(AddressRange.init)

    private func find(_ peer: String, _ forwarded: [String]) throws -> String {
        var headers = HTTPHeaders()
        for value in forwarded { headers.append("X-Forwarded-For", value) }
        let request = HTTPRequest(.get, "/", headers: headers, from: try #require(IPAddress(peer)))
        return ClientAddress.find(for: request, trusting: proxies).description
    }

    @Test(
        arguments: [
            ("203.0.113.1", [], "203.0.113.1"),
            // `X-Forwarded-For` of an untrusted peer is ignored.
            ("203.0.113.1", ["192.0.2.1"], "203.0.113.1"),
            ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", ["192.0.2.1"], "192.0.2.1"),
            // Addresses that the client wrote are to the left of the one that the trusted proxy added.
            ("10.0.0.1", ["198.51.100.66, 192.0.2.1"], "192.0.2.1"),
            ("10.0.0.1", ["198.51.100.66", "192.0.2.1"], "192.0.2.1"),
            ("10.0.0.1", ["192.0.2.1, 10.0.0.2"], "192.0.2.1"), ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", ["192.0.2.1:4711"], "192.0.2.1"), ("10.0.0.1", ["[2001:db9::5]:4711"], "2001:db9::5"),
            ("10.0.0.1", ["2001:db9::5"], "2001:db9::5"), ("2001:db8::1", ["192.0.2.1"], "192.0.2.1"),
            ("10.0.0.1", ["192.0.2.1, nonsense"], "10.0.0.1"), ("10.0.0.1", [""], "10.0.0.1"),
            ("10.0.0.1", ["unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", ["192.0.2.1" + String(repeating: ", 10.0.0.2", count: 16)], "10.0.0.2"),
        ] as [(String, [String], String)])
    func clientIsRightmostUntrustedAddress(peer: String, forwarded: [String], client: String) throws {
        #expect(try find(peer, forwarded) == client)
    }
}

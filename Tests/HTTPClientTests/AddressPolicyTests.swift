import HTTPClient
import Testing

struct AddressPolicyTests {
    @Test(
        arguments: [
            [8, 8, 8, 8], [1, 1, 1, 1], [100, 63, 255, 255], [100, 128, 0, 0], [172, 15, 0, 1], [172, 32, 0, 1],
            [169, 253, 1, 1], [192, 0, 1, 1], [198, 17, 0, 1], [198, 20, 0, 1], [223, 255, 255, 255],
            [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11],
            [0x20, 0x01, 0x48, 0x60, 0x48, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0x88, 0x88],
        ] as [[UInt8]])
    func publicAddressIsAllowed(address: [UInt8]) {
        #expect(AddressPolicy.isPublic(address))
    }

    @Test(
        arguments: [
            [0, 0, 0, 0], [10, 1, 2, 3], [100, 64, 0, 1], [100, 127, 255, 255], [127, 0, 0, 1], [127, 255, 0, 1],
            [169, 254, 169, 254], [172, 16, 0, 1], [172, 31, 255, 255], [192, 0, 0, 8], [192, 0, 2, 1],
            [192, 88, 99, 1],
            [192, 168, 0, 1], [198, 18, 0, 1], [198, 19, 255, 255], [198, 51, 100, 1], [203, 0, 113, 1],
            [224, 0, 0, 1],
            [240, 0, 0, 1], [255, 255, 255, 255], [], [1, 2, 3],
            // ::, ::1, 127.0.0.1 and 10.0.0.1 mapped, compatible and behind NAT64.
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 8, 8, 8, 8], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1],
            [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1],
            // fe80::1, fc00::1, fd00::1, ff02::1.
            [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0xfc, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            // Teredo, documentation, 6to4 with 127.0.0.1.
            [0x20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0x20, 2, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        ] as [[UInt8]])
    func specialAddressIsRefused(address: [UInt8]) {
        #expect(!AddressPolicy.isPublic(address))
    }

    /// Every way to write this machine. The name is resolved by libcurl, and the address of the socket is refused.
    @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "127.1", "[::ffff:127.0.0.1]"])
    func requestToThisMachineIsRefused(host: String) async throws {
        let client = HTTPClient(addresses: .publicOnly)
        await #expect(throws: HTTPClientError.addressRefused) {
            _ = try await client.send(HTTPClientRequest(.get, "http://\(host):9/"))
        }
        await #expect(throws: HTTPClientError.cannotConnect) {
            _ = try await HTTPClient().send(HTTPClientRequest(.get, "http://127.0.0.1:9/"))
        }
    }
}

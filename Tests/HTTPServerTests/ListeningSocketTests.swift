import Testing

@testable import HTTPServer

struct ListeningSocketTests {
    private func start(_ host: String, _ port: UInt16 = 0) throws -> HTTPServer {
        try HTTPServer(HTTPServerSettings(host: host, port: port), refusal: explain) { echo($0) }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0.0.0.0"])
    func serverListensOnLocalAddresses(host: String) async throws {
        let server = try start(host)
        #expect(server.port > 0)
        let client = try SocketClient(port: server.port)
        try await client.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try await client.response()?.status == 200)
    }

    @Test func serverListensOnIPv6() throws {
        do {
            #expect(try start("::1").port > 0)
        } catch HTTPServerError.addressNotAvailable {
            // A machine without IPv6 does not have this address.
        } catch HTTPServerError.system {
            // A kernel without IPv6 does not support this socket.
        }
    }

    @Test func portInUseIsNamed() throws {
        let first = try start("127.0.0.1")
        #expect(throws: HTTPServerError.addressInUse("127.0.0.1:\(first.port)")) {
            try start("127.0.0.1", first.port)
        }
    }

    /// Both must say so: no process joins an address whose owner does not expect it.
    @Test func addressIsSharedByThoseThatShareIt() throws {
        for (first, second) in [(true, true), (true, false), (false, true)] {
            let owner = try ListeningSocket(host: "127.0.0.1", port: 0, sharesAddress: first)
            let joins = { try ListeningSocket(host: "127.0.0.1", port: owner.port, sharesAddress: second).port }
            if first && second {
                #expect(try joins() == owner.port)
            } else {
                #expect(throws: HTTPServerError.addressInUse("127.0.0.1:\(owner.port)")) { try joins() }
            }
        }
    }

    @Test func addressOfAnotherMachineIsUnavailable() {
        // TEST-NET-1 (RFC 5737) is reserved for documentation.
        #expect(throws: HTTPServerError.addressNotAvailable("192.0.2.1:0")) { try start("192.0.2.1") }
    }

    @Test(arguments: ["", "example.com", "127.0.0.1:80", "[::1]"])
    func invalidHostIsRefused(host: String) {
        #expect(throws: HTTPServerError.invalidHost(host)) { try start(host) }
    }
}

import Contracts
import Testing

@testable import Bus

@Suite struct BusEndpointTests {
    @Test func absoluteSocketPathIsAccepted() throws {
        let text = "ipc:///run/latchkey/broker.1.sock"
        #expect(try BusEndpoint(text).text == text)
    }

    /// Also on loopback: every user of the machine can connect to it.
    @Test(arguments: [
        "tcp://127.0.0.1:5555", "tcp://localhost:65535", "tcp://[::1]:5555", "tcp://127.0.0.1:*", "tcp://10.0.0.1:5555",
        "tcp://0.0.0.0:5555", "tcp://*:5555", "tcp://broker.example:5555", "tcp://eth0:5555", "tcp://",
    ])
    func tcpIsRefused(text: String) {
        #expect(throws: BusSettingsError.unprotected(endpoint: text)) { try BusEndpoint(text) }
    }

    @Test(arguments: [
        "", "ipc://", "ipc://relative/path", "inproc://broker", "udp://127.0.0.1:1", "/run/latchkey/broker.sock",
        "ipc:///a\u{0}b",
        "ipc:///" + String(repeating: "a", count: 107),
    ])
    func otherFormsAreMalformed(text: String) {
        #expect(throws: BusSettingsError.malformed(endpoint: text)) { try BusEndpoint(text) }
    }

    @Test func longestPathIsAccepted() throws {
        let path = "/" + String(repeating: "a", count: BusEndpoint.maximumPathBytes - 1)
        #expect(try BusEndpoint("ipc://" + path).path == path)
    }

    @Test func settingsRequireBrokerAndValidInstanceName() {
        let broker = "ipc:///run/latchkey/broker.1.sock"
        #expect(throws: BusSettingsError.noBroker) {
            try BusSettings(brokers: [], service: .identity, instance: "identity.1")
        }
        #expect(throws: BusSettingsError.tooManyBrokers(17)) {
            try BusSettings(
                brokers: Array(repeating: broker, count: 17), service: .identity, instance: "identity.1")
        }
        #expect(throws: BusSettingsError.malformedInstance("identity 1")) {
            try BusSettings(brokers: [broker], service: .identity, instance: "identity 1")
        }
    }
}

/// Addresses of processes that have keys.
@Suite struct KeyedBusEndpointTests {
    @Test(arguments: [
        ("a@ipc:///run/b.sock", "ipc:///run/b.sock"), ("a.1@tcp://192.0.2.1:9700", "tcp://192.0.2.1:9700"),
        ("a@tcp://[2001:db8::1]:9700", "tcp://[2001:db8::1]:9700"), ("a@tcp://127.0.0.1:1", "tcp://127.0.0.1:1"),
    ])
    func addressHasAName(text: String, address: String) throws {
        let endpoint = try BusEndpoint(text, hasKeys: true)
        #expect(endpoint.text == address && endpoint.peer.map { text.hasPrefix("\($0)@") } == true)
        #expect(throws: BusSettingsError.self) { try BusEndpoint(text) }
        #expect(throws: BusSettingsError.named(endpoint: text)) { try BusEndpoint(text, for: .listen, hasKeys: true) }
    }

    @Test(arguments: ["ipc:///run/b.sock", "tcp://192.0.2.1:9700"]) func nameIsRequired(text: String) throws {
        #expect(throws: BusSettingsError.unnamed(endpoint: text)) { try BusEndpoint(text, hasKeys: true) }
        #expect(try BusEndpoint(text, for: .listen, hasKeys: true).peer == nil)
    }

    @Test(arguments: [
        "a@tcp://192.0.2.1", "a@tcp://192.0.2.1:0", "a@tcp://192.0.2.1:65536",
        "a@tcp://[192.0.2.1]:1", "a@tcp://2001:db8::1:9700", "a@tcp://*:9700", "a@tcp://192.0.2.1:*", "a@tcp://:1",
        "a@tcp://192.0.2.1:+1", "a@tcp://", "a@tcp://999.0.2.1:1", "a@tcp://bro ker:1", "a@tcp://a..b:1",
        "a@tcp://broker:0",
    ])
    func otherAddressesAreRefused(text: String) {
        #expect(throws: BusSettingsError.malformedTCP(endpoint: text)) { try BusEndpoint(text, hasKeys: true) }
    }

    /// Whoever connects looks it up. Where a broker listens is no question to a name server.
    @Test func hostHasAName() throws {
        let endpoint = try BusEndpoint("a@tcp://broker-1.example:9700", hasKeys: true)
        #expect(endpoint.host == .init(name: "broker-1.example", port: "9700"))
        #expect(endpoint.host?.endpoint(at: "[::1]") == "tcp://[::1]:9700")
        let text = "tcp://broker-1.example:9700"
        #expect(throws: BusSettingsError.malformedTCP(endpoint: text)) {
            try BusEndpoint(text, for: .listen, hasKeys: true)
        }
    }

    @Test(arguments: [
        ("ipc:///run/b.sock", "ipc:////run/b.sock"), ("tcp://[::1]:97", "tcp://[::1]:097"),
    ])
    func addressIsWrittenInTwoWays(text: String, other: String) {
        #expect(BusEndpoint.otherText(of: text) == other)
    }

    @Test func pathMayHaveTheSign() throws {
        #expect(try BusEndpoint("ipc:///run/a@b.sock").path == "/run/a@b.sock")
    }

    @Test(arguments: ["@ipc:///a", "a b@ipc:///a"]) func malformedNameIsRefused(text: String) {
        #expect(throws: BusSettingsError.named(endpoint: text)) { try BusEndpoint(text, hasKeys: true) }
    }
}

import Bus
import Contracts
import Testing

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

package import Bus
import Contracts
package import ServiceRuntime
import Settings

/// The settings of the broker.
package struct BrokerSettings: Sendable {
    /// The settings that every process has.
    package var process: ProcessSettings
    /// `LATCHKEY_BROKER_LISTEN`: the address to which the other processes connect.
    package var listen: BusEndpoint
    /// Not configurable: the limits and timeouts are part of the bus protocol.
    package var limits = BrokerLimits()

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        let example = "ipc:///run/latchkey/broker.1.sock"
        var reader = SettingsReader(environment, of: .service(.broker))
        process = ProcessSettings(.broker, from: &reader)
        let text = reader.string(.brokerListen, example: example)
        var endpoint: BusEndpoint?
        do throws(BusSettingsError) {
            endpoint = try BusEndpoint(text)
        } catch {
            // The reader has already recorded a missing one.
            if !text.isEmpty {
                reader.addIssue(
                    .brokerListen, "cannot be used: \(error)",
                    remedy: "Write it like \(Setting.brokerListen.name)=\(example)")
            }
        }
        try reader.finish()
        guard let endpoint else { preconditionFailure("`finish` throws the fault of a missing endpoint") }
        listen = endpoint
    }
}

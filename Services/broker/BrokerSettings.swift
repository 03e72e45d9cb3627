package import Bus
internal import Contracts
package import ServiceRuntime
internal import Settings

/// What the broker is told when it starts.
package struct BrokerSettings: Sendable {
    /// What every process is told.
    package var process: ProcessSettings
    /// `LATCHKEY_BROKER_LISTEN`: where the other processes find it.
    package var listen: BusEndpoint
    /// Not set from outside: the figures of the bus are part of its document.
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
            // Of a missing one the reader has noted that already.
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

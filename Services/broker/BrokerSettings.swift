package import Bus
internal import Contracts
package import ServiceRuntime

/// What the broker is told when it starts.
package struct BrokerSettings: Sendable {
    /// What every process is told.
    package var common: CommonSettings
    /// `LATCHKEY_BROKER_LISTEN`: where the other processes find it.
    package var listen: BusEndpoint
    /// Not set from outside: the figures of the bus are part of its document.
    package var limits = BrokerLimits()

    /// For `--help`.
    package static let help = [
        Program.Setting(
            "LATCHKEY_BROKER_LISTEN", "where to listen: ipc:///path/in/a/0700/directory")
    ]

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsFaults) {
        let name = "LATCHKEY_BROKER_LISTEN"
        let example = "ipc:///run/latchkey/broker.1.sock"
        var reader = SettingsReader(environment)
        common = CommonSettings(.broker, from: &reader)
        let text = reader.string(name, example: example)
        var endpoint: BusEndpoint?
        do throws(BusSettingsError) {
            endpoint = try BusEndpoint(text)
        } catch {
            // Of a missing one the reader has noted that already.
            if !text.isEmpty {
                reader.fault(name, "cannot be used: \(error)", remedy: "Write it like \(name)=\(example)")
            }
        }
        try reader.finish()
        guard let endpoint else { preconditionFailure("`finish` throws the fault of a missing endpoint") }
        listen = endpoint
    }
}

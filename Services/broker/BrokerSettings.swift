package import Bus
import Contracts
package import ServiceRuntime
import Settings

/// The settings of the process `broker`.
package struct BrokerSettings: Sendable {
    /// The settings that every process has.
    package var process: ProcessSettings
    /// `LATCHKEY_BROKER_LISTEN`: the address to which the other processes connect.
    package var listen: BusEndpoint

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.broker))
        process = ProcessSettings(.broker, from: &reader)
        let endpoint = reader.brokerEndpoint(isRequired: true, hasKeys: process.busKeys != nil)
        try reader.finish()
        guard let endpoint else { preconditionFailure("`finish` throws the fault of a missing endpoint") }
        listen = endpoint
    }
}

package import Bus
import Settings

extension SettingsReader {
    /// `LATCHKEY_BROKER_LISTEN`: where the broker of this process listens; nil if it is not set or malformed.
    /// - Parameter hasKeys: whether this process has a key of the bus.
    package mutating func brokerEndpoint(isRequired: Bool, hasKeys: Bool) -> BusEndpoint? {
        let text =
            isRequired
            ? string(.brokerListen, example: BusConnection.brokersExample) : optionalString(.brokerListen) ?? ""
        // The reader has recorded a missing one.
        guard !text.isEmpty else { return nil }
        do throws(BusSettingsError) {
            return try BusEndpoint(text, for: .listen, hasKeys: hasKeys)
        } catch {
            add(SettingsIssue(.brokerListen, error))
            return nil
        }
    }
}

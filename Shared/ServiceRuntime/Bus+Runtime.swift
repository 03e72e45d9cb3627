package import Bus
package import Contracts

extension BusConnection: RunningPart {}

extension BusSettings {
    /// - Parameter capacity: requests the process works on at once.
    /// - Throws: `SettingsFaults` that name the setting.
    package init(_ settings: CommonSettings, capacity: UInt16 = 64) throws(SettingsFaults) {
        do throws(BusSettingsError) {
            try self.init(
                brokers: settings.brokers, service: settings.service, instance: settings.instance, capacity: capacity)
        } catch {
            throw SettingsFaults([
                SettingsFault("LATCHKEY_BROKERS", "cannot be used: \(error)", remedy: "Use ipc:// or loopback tcp://")
            ])
        }
    }
}

extension Log {
    /// What the bus has to tell an operator.
    package var bus: BusLog {
        { event, fields in
            let text = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            warn("bus", ["event": .public(event), "fields": .public(text)])
        }
    }
}

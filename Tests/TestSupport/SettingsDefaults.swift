package import Settings

extension SettingsCatalogue {
    /// All defaults of a process that have a text form, as variables. With these variables a process must behave as
    /// without them; otherwise the catalog is wrong.
    package static func defaults(of process: SettingsProcess, isDev: Bool) -> [String: String] {
        var variables: [String: String] = [:]
        // The share of traces is refused without a receiver, which has no default.
        for setting in settings(of: process) where setting != .dev && setting != .otlpSamplePercent {
            let standard = isDev ? setting.devStandard ?? setting.standard : setting.standard
            if case .value(let text) = standard { variables[setting.name] = text }
        }
        return variables
    }
}

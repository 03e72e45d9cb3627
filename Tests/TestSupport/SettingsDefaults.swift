package import Settings

extension SettingsCatalogue {
    /// Every default of a process that can be written as text, as variables. A process that gets them behaves like one
    /// that gets none, or the catalogue is wrong.
    package static func defaults(of process: SettingsProcess, isDev: Bool) -> [String: String] {
        var variables: [String: String] = [:]
        for setting in settings(of: process) where setting != .dev {
            let standard = isDev ? setting.devStandard ?? setting.standard : setting.standard
            if case .value(let text) = standard { variables[setting.name] = text }
        }
        return variables
    }
}

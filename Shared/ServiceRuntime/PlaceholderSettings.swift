import Settings

/// Finds settings that look like an example of the documentation or of dev mode, where users depend on them. A mesh
/// starts with them; the operator gets a warning.
package enum PlaceholderSettings {
    /// Projects of dev mode and of the documentation.
    private static let projects: Set<String> = ["demo-latchkey", "my-project"]
    /// RFC 2606 §3, and the host names of the examples.
    private static let hosts = ["example.com", "example.org", "example.net"]
    private static let credentials = "user:password@"

    /// One warning for each such setting, without its value if it is a secret; none in dev mode.
    package static func warnings(about environment: Environment) -> [SettingsIssue] {
        var reader = SettingsReader(environment, of: .latchkey)
        guard !reader.boolean(.dev) else { return [] }
        return SettingsCatalogue.all.compactMap { setting in
            guard let value = environment[setting], let problem = problem(of: value, setting) else { return nil }
            return SettingsIssue(setting, problem, remedy: "Set it to your own value before users depend on it")
        }
    }

    private static func problem(of value: String, _ setting: Setting) -> String? {
        if setting == .project {
            guard projects.contains(value) || value.hasPrefix("demo-") else { return nil }
            return "is \"\(LogEscaping.escaped(value, maximumBytes: 100))\", a project of examples and of development"
        }
        let lowercase = value.lowercased()
        if let host = hosts.first(where: lowercase.contains) { return "names \(host), a host of examples" }
        return lowercase.contains(credentials) ? "has the user and password of the example" : nil
    }
}

internal import CommandLineArguments
internal import Contracts
internal import ServiceRuntime
internal import Settings

/// `latchkey check`: finds errors in the settings of `latchkey up` without starting a process. It accepts the same
/// options.
///
/// It checks names, files of secrets, and the launcher's own settings. Each process checks its own values when it
/// starts.
struct CheckCommand: Command {
    static let declaration = CommandDeclaration(
        "check", "check the settings of `up`, and show which process receives which",
        discussion: """
            The command takes the options of `up` and starts no process. It checks names, files of secrets, and the \
            launcher's own settings; each process checks its own values when it starts. It warns of settings that look like \
            an example.
            """, options: UpCommand.options)

    /// The environment of the operator.
    private let environment: Environment
    private let settings: UpSettings

    /// - Throws: `SettingsError`.
    init(_ arguments: ParsedArguments, _ resolved: Environment) throws(SettingsError) {
        environment = arguments.environment
        settings = try UpSettings(resolved)
    }

    func run() throws(SettingsError) {
        for line in try report() { print(line) }
        for warning in PlaceholderSettings.warnings(about: environment) { print("warning: \(warning)") }
    }

    /// One line for each setting that is set: its name and the processes that receive it. No value is shown.
    /// - Throws: `SettingsError` for files that a process could not read.
    func report() throws(SettingsError) -> [String] {
        var faults: [SettingsIssue] = []
        let services = ServiceName.allCases.filter { settings.processes[$0] != nil }
        for service in services {
            do throws(SettingsError) {
                _ = try ChildEnvironment.visible(to: service, of: environment).resolved(for: .service(service))
            } catch {
                faults += error.issues.filter { !faults.contains($0) }
            }
        }
        guard faults.isEmpty else { throw SettingsError(faults) }
        let names = SettingsCatalogue.all.flatMap(\.names)
        return names.filter { environment[$0] != nil }.map { name in
            let readers = services.filter { SettingsCatalogue.isVisible(name, to: .service($0)) }.map(\.rawValue)
            let isOwn = SettingsCatalogue.isVisible(name, to: .latchkey)
            let all = (isOwn ? ["latchkey"] : []) + readers
            return "\(name): \(all.isEmpty ? "no process of this mesh reads it" : all.joined(separator: ", "))"
        }
    }
}

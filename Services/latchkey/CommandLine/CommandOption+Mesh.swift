import CommandLineArguments
import Settings

/// The options of several commands.
extension CommandOption {
    static let data = CommandOption(
        "data", value: "DIR", overrides: .data, completion: .directory,
        "data directory (default in dev mode: .latchkey; with --env-file: /var/lib/latchkey)")
    static let dev = CommandOption("dev", overrides: .dev, "dev mode")
    static let project = CommandOption("project", value: "ID", overrides: .project, "project")
    static let json = CommandOption("json", "print JSON, for programs")
}

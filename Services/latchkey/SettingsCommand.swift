internal import ServiceRuntime
internal import Settings

/// `latchkey settings`: prints the catalog of settings.
struct SettingsCommand: Equatable {
    private enum Output: Equatable {
        /// The settings of every process, as in its `--help`.
        case all
        case process(SettingsProcess)
        /// `docs/settings.md`.
        case markdown
        /// `deploy/env/NAME.env`.
        case environmentFile(String)
    }

    private let output: Output

    /// - Throws: `UsageError`.
    init(_ arguments: [String]) throws(UsageError) {
        switch (arguments.first, arguments.count) {
        case (nil, _): output = .all
        case ("markdown", 1): output = .markdown
        case ("env", 2) where SettingsDocument.environmentFile(arguments[1]) != nil:
            output = .environmentFile(arguments[1])
        case (let name?, 1):
            guard let process = SettingsProcess(name: name) else {
                throw UsageError("There is no process \"\(LogEscaping.escaped(name, maximumBytes: 100))\".")
            }
            output = .process(process)
        default:
            let names = SettingsDocument.environmentFileNames.joined(separator: ", ")
            throw UsageError("latchkey settings takes a process, markdown, or env with one of: \(names).")
        }
    }

    /// The text to print, with a newline at its end.
    var text: String {
        switch output {
        case .all:
            SettingsProcess.allCases.map { "\($0.name)\n\n\(SettingsDocument.help(of: $0))\n" }.joined(separator: "\n")
        case .process(let process): SettingsDocument.help(of: process) + "\n"
        case .markdown: SettingsDocument.markdown
        // Not nil: the initializer has checked the name.
        case .environmentFile(let name): SettingsDocument.environmentFile(name) ?? ""
        }
    }
}

import CommandLineArguments
import ServiceRuntime
import Settings

/// `latchkey settings`: prints the catalog of settings.
struct SettingsCommand: Command {
    private static let subject = Operand(
        "SUBJECT", isOptional: true,
        completion: .proposals(SettingsProcess.allCases.map(\.name) + ["markdown", "log-events", "env"]),
        "a process; `markdown` for the text of docs/operate/settings.md; `log-events` for that of "
            + "docs/operate/log-events.md; `env` for that of deploy/env/FILE.env")
    private static let file = Operand(
        "FILE", isOptional: true, completion: .proposals(SettingsDocument.environmentFileNames),
        "of deploy/env, without .env")

    static let declaration = CommandDeclaration(
        "settings", "print all settings, or those of one process",
        operands: [subject, file], options: [.json], readsSettings: false)

    /// The output with `--json`: one setting.
    private struct Row: Encodable {
        var name: String
        var meaning: String
        var processes: [String]
        var requiredBy: [String]
        var isSecret: Bool
        /// The value that counts if it is not set, or a description of it; nil for none.
        var standard: String?

        init(_ setting: Setting) {
            name = setting.name
            meaning = setting.sentence
            processes = SettingsProcess.allCases.filter(setting.readers.contains).map(\.name)
            requiredBy = SettingsProcess.allCases.filter(setting.requiredBy.contains).map(\.name)
            isSecret = setting.isSecret
            switch setting.standard {
            case .none: standard = nil
            case .value(let text), .described(let text): standard = text
            }
        }
    }

    private enum Output: Equatable {
        /// The settings of every process, as in its `--help`.
        case all
        case process(SettingsProcess)
        /// `docs/operate/settings.md`.
        case markdown
        /// `docs/operate/log-events.md`.
        case logEvents
        /// `deploy/env/NAME.env`.
        case environmentFile(String)
    }

    private let output: Output
    private let lines: CommandOutput

    /// - Throws: `UsageError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws(UsageError) {
        lines = CommandOutput(arguments)
        switch (arguments.optional(Self.subject), arguments.optional(Self.file)) {
        case (nil, _): output = .all
        case ("markdown", nil): output = .markdown
        case ("log-events", nil): output = .logEvents
        case ("env", let file?) where SettingsDocument.environmentFile(file) != nil: output = .environmentFile(file)
        case (let name?, nil):
            guard let process = SettingsProcess(name: name) else {
                throw UsageError("There is no process \(UsageError.quoted(name)).")
            }
            output = .process(process)
        case (_?, _?):
            let names = SettingsDocument.environmentFileNames.joined(separator: ", ")
            throw UsageError("latchkey settings takes a process, markdown, log-events, or env with one of: \(names).")
        }
    }

    func run() throws {
        guard lines.isJSON else { return print(text, terminator: "") }
        let settings =
            switch output {
            case .all: SettingsCatalogue.all.filter { $0.audience != .launcher }
            case .process(let process): SettingsCatalogue.settings(of: process)
            case .markdown, .logEvents, .environmentFile:
                throw UsageError("--json has no effect with markdown, log-events and env.")
            }
        for setting in settings { try lines.show(Row(setting), []) }
    }

    /// The text to print, with a newline at its end.
    var text: String {
        switch output {
        case .all:
            SettingsProcess.allCases.map { "\($0.name)\n\n\(SettingsDocument.help(of: $0))\n" }.joined(separator: "\n")
        case .process(let process): SettingsDocument.help(of: process) + "\n"
        case .markdown: SettingsDocument.markdown
        case .logEvents: LogEventDocument.markdown
        // Not nil: the initializer has checked the name.
        case .environmentFile(let name): SettingsDocument.environmentFile(name) ?? ""
        }
    }
}

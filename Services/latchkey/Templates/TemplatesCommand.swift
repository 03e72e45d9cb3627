import CommandLineArguments
import Contracts
import EmailTemplates
import FoundationEssentials
import JSON
import ServiceRuntime

/// `latchkey templates check [FILE ...]`: checks every built-in text, and the templates of configurations in the format
/// of the admin API.
struct TemplatesCheckCommand: Command {
    private static let file = Operand(
        "FILE", isOptional: true, canRepeat: true, completion: .file,
        "project configuration, as `GET /v2/projects/PROJECT/config` returns it")

    static let declaration = CommandDeclaration(
        "check", "check the texts of all e-mails, and those of project configurations in files",
        operands: [file], options: [.json], readsSettings: false)

    /// JSON documents of project configurations.
    private let files: [String]
    private let output: CommandOutput

    /// The output with `--json`: one text.
    private struct Row: Encodable {
        /// Nil: built in.
        var file: String?
        var language: String
        var purpose: String
        var problems: [String]

        init(_ row: EmailTemplateCheck.Row, file: String?) {
            self.file = file
            language = row.language
            purpose = row.purpose.rawValue
            problems = row.problems.map { "\($0)" }
        }
    }

    init(_ arguments: ParsedArguments, _ environment: Environment) {
        files = arguments.all(Self.file)
        output = CommandOutput(arguments)
    }

    func run() throws {
        guard output.isJSON else { return try run { print($0) } }
        var rows = EmailTemplateCheck.builtIn().map { Row($0, file: nil) }
        for file in files {
            rows += try EmailTemplateCheck.configured(Self.configuration(file)).map { Row($0, file: file) }
        }
        for row in rows { try output.show(row, []) }
        let broken = rows.count { !$0.problems.isEmpty }
        guard broken == 0 else { throw TemplatesCommandError.broken(broken) }
    }

    /// - Parameter printLine: receives one line of output.
    /// - Throws: `TemplatesCommandError` if there is an error, after all lines were shown.
    func run(_ printLine: (String) -> Void) throws {
        var rows = EmailTemplateCheck.builtIn()
        printLine("language  purposes  result")
        for language in rows.map(\.language).uniqued {
            let own = rows.filter { $0.language == language }
            printLine(Self.line(language, "\(own.count)", own.flatMap(\.problems).isEmpty ? "ok" : "broken"))
        }
        for file in files {
            let given = try EmailTemplateCheck.configured(Self.configuration(file))
            printLine(
                Self.line("own", "\(given.count)", given.flatMap(\.problems).isEmpty ? "ok" : "broken") + "  \(file)")
            rows += given
        }
        let broken = rows.filter { !$0.problems.isEmpty }
        for row in broken {
            for problem in row.problems { printLine("\(row.language) \(row.purpose.rawValue): \(problem)") }
        }
        guard broken.isEmpty else { throw TemplatesCommandError.broken(broken.count) }
    }

    private static func line(_ language: String, _ purposes: String, _ result: String) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return padded(language, 10) + padded(purposes, 10) + result
    }

    private static func configuration(_ file: String) throws(TemplatesCommandError) -> ProjectConfiguration {
        do {
            return try WireJSON.decode(ProjectConfiguration.self, from: Data(contentsOf: URL(filePath: file)))
        } catch {
            throw .unreadable(file)
        }
    }
}

/// Why `latchkey templates check` failed.
enum TemplatesCommandError: ExitError, Equatable {
    case broken(Int)
    case unreadable(String)

    var exitCode: Int32 {
        switch self {
        case .broken: ExitCode.failure
        case .unreadable: ExitCode.usage
        }
    }

    var messages: [String] {
        switch self {
        case .broken(1): ["One template is broken."]
        case .broken(let count): ["\(count) templates are broken."]
        case .unreadable(let file):
            ["\(file) is not a project configuration. Use the response of `GET /v2/projects/PROJECT/config`."]
        }
    }
}

extension [String] {
    /// Removes duplicates and keeps the order of first appearance.
    fileprivate var uniqued: [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

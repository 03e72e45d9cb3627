import Bus
import CommandLineArguments
import ConfigurationDocuments
import Contracts
import FoundationEssentials
import JSON
import ServiceRuntime
import Vocabulary

/// `latchkey projects config get [PATH]`.
struct ConfigurationGetCommand: Command {
    private static let path = Operand(
        "PATH", isOptional: true, "a field, such as signIn.email.enabled; without it, the whole document")

    static let declaration = CommandDeclaration(
        "get", "print the configuration of a project, as the JSON document of the admin API",
        operands: [path], options: MeshArguments.projectOptions)

    private let path: FieldPath
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        path = try FieldPath(arguments.optional(Self.path))
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws { print(try await target.mesh.withRequests(read)) }

    /// - Returns: the text of the document or of the field.
    /// - Throws: `ProjectCommandError.nothingToDo` for a field without a value.
    func read(_ bus: any BusRequestSending) async throws -> String {
        let reply = try await bus.send(
            Identity.ReadConfiguration(project: target.project), .ofOperator())
        guard let value = path.value(in: try ConfigurationDocument.document(reply)) else {
            throw ProjectCommandError.nothingToDo("\(path) is not set in project \(target.project).")
        }
        return IndentedJSON.text(value)
    }
}

/// `latchkey projects config set PATH VALUE`.
struct ConfigurationSetCommand: Command {
    private static let path = Operand(
        "PATH", isOptional: true, "a field, such as signIn.email.enabled; with --file it selects what is changed")
    private static let value = Operand(
        "VALUE", isOptional: true, "text for a field with text, otherwise JSON; absent with --file or --unset")
    private static let file = CommandOption(
        "file", value: "FILE", completion: .file,
        "read a JSON document; without PATH its fields are changed; - for stdin")
    private static let unset = CommandOption("unset", "remove the value of PATH")

    static let declaration = CommandDeclaration(
        "set", "change the configuration of a project",
        discussion: """
            The fields and their rules are those of the admin API, with PATH as its updateMask: a list or a map is replaced \
            as a whole. Fields that are not named stay as they are.
            """, operands: [path, value], options: [file, unset] + MeshArguments.projectOptions)

    private static let maximumFileBytes = 1 << 20
    /// Others may change the configuration at the same time: the later change is repeated.
    private static let maximumAttempts = 5

    /// Nil: the fields of the document are changed.
    private let path: FieldPath?
    private let input: Input
    private let target: ProjectArguments

    private enum Input {
        case value(String)
        case file(String)
        case unset
    }

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        path = try arguments.optional(Self.path).map(FieldPath.init)
        let sources: [Input?] = [
            arguments.optional(Self.value).map(Input.value), arguments.value(Self.file).map(Input.file),
            arguments.has(Self.unset) ? .unset : nil,
        ]
        guard let input = sources.compactMap(\.self).first, sources.compactMap(\.self).count == 1 else {
            throw UsageError("set requires one of VALUE, --file FILE and --unset.")
        }
        if path == nil, case .unset = input { throw UsageError("--unset requires PATH.") }
        self.input = input
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws {
        let body: JSONValue
        switch input {
        case .value(let text): body = try (path ?? FieldPath(nil)).document(with: text)
        case .unset: body = .object([:])
        case .file(let name): body = try Self.read(name)
        }
        print(try await target.mesh.withRequests { try await change(body, $0) })
    }

    /// - Returns: the sentence for the operator.
    /// - Throws: `ProjectCommandError`.
    func change(_ body: JSONValue, _ bus: any BusRequestSending) async throws -> String {
        let (document, mask) = try Self.checked(body, path)
        for _ in 1..<Self.maximumAttempts {
            do {
                return try await replace(document, mask, bus)
            } catch let error as ServiceError where error.code == .configurationConflict {
                continue
            }
        }
        return try await replace(document, mask, bus)
    }

    private func replace(
        _ document: JSONValue, _ mask: FieldMask, _ bus: any BusRequestSending
    ) async throws -> String {
        let current = try await bus.send(
            Identity.ReadConfiguration(project: target.project), .ofOperator())
        let changed = try ConfigurationDocument.applying(mask, of: document, to: current.configuration)
        let shown = path?.description ?? "The configuration"
        guard changed != current.configuration else {
            return "\(shown) of project \(target.project) has this value already."
        }
        _ = try await bus.send(
            Identity.ReplaceConfiguration(
                project: target.project, configuration: changed, expectedRevision: current.revision,
                client: .operatorCommand),
            .ofOperator())
        return "\(shown) of project \(target.project) is changed."
    }

    /// The document in canonical form, and the mask.
    private static func checked(
        _ body: JSONValue, _ path: FieldPath?
    ) throws(ProjectCommandError) -> (JSONValue, FieldMask) {
        do throws(DocumentError) {
            return (
                try ConfigurationDocument.schema.read(body, root: "config"), try FieldMask(path?.description ?? "")
            )
        } catch {
            throw ProjectCommandError.invalidValue(
                error.violations.isEmpty ? [error.message] : error.violations.map(\.description))
        }
    }

    private static func read(_ name: String) throws -> JSONValue {
        let path = name == "-" ? "/dev/stdin" : name
        do {
            let bytes = try Data(contentsOf: URL(filePath: path))
            guard bytes.count <= maximumFileBytes else {
                throw ProjectCommandError.invalidValue(["\(name) is longer than \(maximumFileBytes) bytes."])
            }
            return try WireJSON.decode(JSONValue.self, from: bytes)
        } catch let error as ProjectCommandError {
            throw error
        } catch is JSONError {
            throw ProjectCommandError.invalidValue(["\(name) is not JSON."])
        } catch {
            throw LauncherError.file(name, problem: "cannot be read", remedy: "Name a file with a JSON document")
        }
    }
}

/// A field of the configuration document.
struct FieldPath: Sendable, CustomStringConvertible {
    /// In camel case; empty for the whole document.
    let names: [String]
    private let schema: DocumentSchema

    /// - Parameter text: names with dots between them; nil for the whole document.
    /// - Throws: `ProjectCommandError.unknownField`.
    init(_ text: String?) throws {
        names = text?.pieces(at: ".").map { String($0) } ?? []
        guard let schema = ConfigurationDocument.schema.field(at: names) else {
            throw ProjectCommandError.unknownField(text ?? "")
        }
        self.schema = schema
    }

    var description: String { names.joined(separator: ".") }

    func value(in document: JSONValue) -> JSONValue? {
        names.reduce(document) { (value: JSONValue?, name) in value?[name] }
    }

    /// A document with this value in the field.
    /// - Parameter text: for a field with text the value itself, otherwise JSON.
    /// - Throws: `ProjectCommandError`.
    func document(with text: String) throws -> JSONValue {
        let value: JSONValue
        switch schema {
        case .output: throw ProjectCommandError.outputField(description)
        case .string, .enumeration, .integerText: value = .string(text)
        case .boolean, .integer, .number, .list, .map, .message, .oneOf:
            // `try?`: the sentence says what is wrong.
            guard let parsed = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)) else {
                throw ProjectCommandError.invalidValue([
                    "The value of \(description) is JSON, such as true, 7 or [\"a\"]: quote it for the shell."
                ])
            }
            value = parsed
        }
        return names.reversed().reduce(value) { .object([$1: $0]) }
    }
}

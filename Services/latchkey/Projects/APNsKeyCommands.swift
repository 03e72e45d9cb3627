import Bus
import CommandLineArguments
import Contracts
import FoundationEssentials
import ServiceRuntime
import Vocabulary

/// `latchkey apns add FILE --bundle-id ID --team-id ID`.
struct APNsKeyAddCommand: Command {
    private static let file = Operand(
        "FILE", completion: .file, "private key of Apple, AuthKey_….p8; - for standard input")
    private static let bundleID = CommandOption("bundle-id", value: "ID", "bundle ID of the application")
    private static let keyID = CommandOption(
        "key-id", value: "ID", "ID of the key (default: the one in the name of the file)")
    private static let teamID = CommandOption("team-id", value: "ID", "ID of the developer team")
    private static let environment = CommandOption(
        "environment", value: "NAME", completion: .words(Notifier.APNsKey.Environment.words),
        "push service that the key is for (default: both)")

    static let declaration = CommandDeclaration(
        "add", "store the key that sends pushes to an application of a project",
        discussion: """
            The notifier seals the key, and never shows it again: remove the file afterwards. A key that was added later \
            replaces the earlier ones of the application, which can then be removed.
            """,
        operands: [file],
        options: [bundleID, keyID, teamID, environment, .json] + MeshArguments.projectOptions)

    private let request: Notifier.AddAPNsKey
    private let output: CommandOutput
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        let path = arguments[Self.file]
        guard let bundleID = arguments.value(Self.bundleID) else { throw UsageError("--bundle-id is missing.") }
        guard let teamID = arguments.value(Self.teamID) else { throw UsageError("--team-id is missing.") }
        guard let keyID = arguments.value(Self.keyID) ?? Self.keyID(inNameOf: path) else {
            throw UsageError("--key-id is missing, and the file is not called AuthKey_ID.p8.")
        }
        let word = arguments.value(Self.environment)
        guard let keyEnvironment = word.map(Notifier.APNsKey.Environment.init(word:)) ?? .both else {
            throw UsageError("--environment is \(Notifier.APNsKey.Environment.words.joined(separator: " or ")).")
        }
        output = CommandOutput(arguments)
        target = try ProjectArguments(arguments, environment)
        request = Notifier.AddAPNsKey(
            project: target.project, bundleID: bundleID, environment: keyEnvironment, keyID: keyID, teamID: teamID,
            privateKey: try Self.read(path), client: .operatorCommand)
    }

    /// The ID in `AuthKey_ABC123DEFG.p8`, as Apple names the file.
    private static func keyID(inNameOf path: String) -> String? {
        let name = path.pieces(at: "/").last.map(String.init) ?? path
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        return String(name.dropFirst("AuthKey_".count).dropLast(".p8".count))
    }

    private static func read(_ name: String) throws -> Secret<String> {
        guard let bytes = FileSystem.read(name == "-" ? "/dev/stdin" : name, atMost: 64 << 10) else {
            throw LauncherError.file(
                name, problem: "cannot be read", remedy: "Name the file AuthKey_….p8 that Apple gave you")
        }
        return Secret(String(decoding: bytes, as: UTF8.self))
    }

    func run() async throws { try await target.mesh.withRequests { try await add($0, to: output) } }

    func add(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        let record = APNsKeyRecord(try await bus.send(request, .ofOperator()))
        try output.show(record, record.fields)
    }
}

/// `latchkey apns list`.
struct APNsKeyListCommand: Command {
    static let declaration = CommandDeclaration(
        "list", "print the keys for pushes of a project", options: [.json] + MeshArguments.projectOptions)

    private let output: CommandOutput
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        output = CommandOutput(arguments)
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws { try await target.mesh.withRequests { try await write($0, to: output) } }

    func write(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        let keys = try await bus.send(Notifier.ListAPNsKeys(project: target.project), .ofOperator()).keys
        var list = output.list(
            OutputColumn("ID") { (key: APNsKeyRecord) in key.id }, OutputColumn("BUNDLE ID") { $0.bundleID },
            OutputColumn("ENVIRONMENT") { $0.environment }, OutputColumn("KEY ID") { $0.keyID },
            OutputColumn("TEAM ID") { $0.teamID }, OutputColumn("ADDED") { $0.createdAt })
        try list.append(keys.map(APNsKeyRecord.init))
        if keys.isEmpty {
            output.note("The project \(target.project) has no keys; its pushes use the key of the settings.")
        }
    }
}

/// `latchkey apns remove ID`.
struct APNsKeyRemoveCommand: Command {
    private static let id = Operand("ID", "ID of the entry, as `apns list` prints it")

    static let declaration = CommandDeclaration(
        "remove", "remove a key, which sends no push from now on", operands: [id],
        options: MeshArguments.projectOptions)

    private let id: APNsKeyID
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        id = APNsKeyID(arguments[Self.id])
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws { print(try await target.mesh.withRequests(remove)) }

    /// - Returns: the sentence for the operator.
    func remove(_ bus: any BusRequestSending) async throws -> String {
        _ = try await bus.send(
            Notifier.RemoveAPNsKey(project: target.project, id: id, client: .operatorCommand), .ofOperator())
        return "Removed the key \(id) of project \(target.project)."
    }
}

/// A key in the output. The names of the members are stable.
struct APNsKeyRecord: Encodable, Equatable {
    var id: String
    var bundleID: String
    var environment: String
    var keyID: String
    var teamID: String
    var createdAt: String

    init(_ key: Notifier.APNsKey) {
        id = key.id.rawValue
        bundleID = key.bundleID
        environment = key.environment.word
        keyID = key.keyID
        teamID = key.teamID
        createdAt = key.createdAt.text
    }

    var fields: [(name: String, text: String?)] {
        [
            ("ID", id), ("Bundle ID", bundleID), ("Environment", environment), ("Key ID", keyID),
            ("Team ID", teamID), ("Added", createdAt),
        ]
    }
}

extension Notifier.APNsKey.Environment {
    /// On the command line.
    fileprivate var word: String { rawValue.asciiLowercased }

    fileprivate static var words: [String] { allCases.map(\.word) }

    fileprivate init?(word: String) {
        self.init(rawValue: word.asciiUppercased)
    }
}

import Bus
import CommandLineArguments
import Contracts
import ServiceAccountFile
import ServiceRuntime
import Vocabulary

/// `latchkey service-account add FILE`.
///
/// The commands about service accounts send requests to identity over the bus and do not open the database. So they work
/// with a mesh on one machine or several. Their changes are in the audit log, and invalidate the caches of all processes.
struct ServiceAccountAddCommand: Command {
    private static let file = Operand("FILE", completion: .file, "JSON key file of a service account")

    static let declaration = CommandDeclaration(
        "add", "register the key of a service account, of which only the public half is kept",
        discussion: "The key file names the project, unless --project does.",
        operands: [file], options: MeshArguments.projectOptions)

    private let key: Identity.ServiceAccountKey
    private let mesh: MeshArguments

    /// - Throws: `SettingsError`, and `LauncherError` if the key file is unusable or the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        var key: Identity.ServiceAccountKey
        do throws(ServiceAccountFileError) {
            key = try ServiceAccountFile(path: arguments[Self.file]).key
        } catch {
            throw LauncherError.file(
                error.path, problem: error.problem, remedy: "Name the JSON key file of a service account")
        }
        mesh = try MeshArguments(arguments, environment)
        key.project = mesh.givenProject ?? key.project
        self.key = key
    }

    func run() async throws {
        _ = try await mesh.withRequests { bus in
            try await bus.send(Identity.AddServiceAccountKey(key: key), .ofOperator())
        }
        print("registered \(key.email), key \(key.keyID), for project \(key.project)")
    }
}

/// `latchkey service-account list`.
struct ServiceAccountListCommand: Command {
    static let declaration = CommandDeclaration(
        "list", "print the service accounts of a project and their keys",
        discussion: "It requires the project: --project, LATCHKEY_PROJECT, or --dev for that of dev mode.",
        options: [.json] + MeshArguments.projectOptions)

    private struct Row: Encodable {
        var email: String
        var keyID: String
    }

    private let target: ProjectArguments

    /// - Throws: `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws {
        let keys = try await target.mesh.withRequests { bus in
            try await bus.send(Identity.ListServiceAccountKeys(project: target.project), .ofOperator()).keys
        }
        if keys.isEmpty { target.mesh.output.note("The project \(target.project) has no service accounts.") }
        var list = target.mesh.output.list(OutputColumn<Row>("SERVICE ACCOUNT", \.email), OutputColumn("KEY", \.keyID))
        try list.append(keys.map { Row(email: $0.email, keyID: $0.keyID) })
    }
}

/// `latchkey service-account remove EMAIL [KEY]`.
struct ServiceAccountRemoveCommand: Command {
    private static let email = Operand("EMAIL", "address of the service account")
    private static let key = Operand("KEY", isOptional: true, "id of one key; without it, all keys are removed")

    static let declaration = CommandDeclaration(
        "remove", "remove a service account, or one of its keys, and end its access tokens",
        operands: [email, key], options: MeshArguments.options)

    private let email: String
    private let keyID: String?
    private let mesh: MeshArguments

    /// - Throws: `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        email = arguments[Self.email]
        keyID = arguments.optional(Self.key)
        mesh = try MeshArguments(arguments, environment)
    }

    func run() async throws {
        let removed = try await mesh.withRequests { bus in
            try await bus.send(Identity.RemoveServiceAccountKeys(email: email, keyID: keyID), .ofOperator()).removed
        }
        print("removed \(removed) key\(removed == 1 ? "" : "s") of \(email); access tokens ended")
    }
}

import Blocking
import Bus
import CommandLineArguments
import Contracts
import ServiceAccountFile
import ServiceRuntime
import Settings
import Vocabulary

/// `latchkey service-account create -o FILE [NAME]`.
struct ServiceAccountCreateCommand: Command {
    private static let name = Operand(
        "NAME", isOptional: true,
        "name before @ in the address of the account (default: \(NewServiceAccount.defaultName)); an existing account gets "
            + "a further key")

    static let declaration = CommandDeclaration(
        "create", "generate a key of a service account, register its public half, and write the key file",
        discussion: """
            The key file has the format of Google Cloud, and mode 0600. An existing file is never overwritten. `-o -` \
            writes to a pipe. The file is the only copy of the private key.
            """, operands: [name], options: NewKeyArguments.options + [.json] + MeshArguments.projectOptions)

    private let arguments: NewKeyArguments
    private let target: ProjectArguments

    /// - Throws: `UsageError`, `SettingsError`, and `LauncherError` if the file exists or the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        self.arguments = try NewKeyArguments(arguments, environment, name: arguments.optional(Self.name))
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws {
        let key = try await target.mesh.withRequests { bus in
            try await arguments.register(for: target.project, over: bus)
        }
        switch arguments.destination {
        case .standardOutput: break
        case .file(let path):
            try target.mesh.output.show(
                Result(email: key.email, keyID: key.keyID, project: key.project.rawValue, file: path),
                "Wrote \(path): key \(key.keyID) of \(key.email), for project \(key.project).")
        }
    }

    private struct Result: Encodable {
        var email: String
        var keyID: String
        var project: String
        var file: String
    }
}

/// The arguments of a command that creates the key of a service account.
struct NewKeyArguments: Sendable {
    static let file = CommandOption(
        "output", letter: "o", value: "FILE", completion: .file, "new key file; - for a pipe")
    static let adminURL = CommandOption(
        "admin-url", value: "URL", overrides: .adminURL,
        "URL of the admin listener for backends: the token endpoint in the key file")
    static let options: [CommandOption] = [file, adminURL]

    let name: String
    let destination: KeyFileDestination
    let adminURL: String

    /// - Parameters:
    ///   - arguments: of a command that declares `options`.
    ///   - name: nil: the default.
    init(_ arguments: ParsedArguments, _ environment: Environment, name: String?) throws {
        guard let file = arguments.value(Self.file) else { throw UsageError("-o FILE is missing.") }
        self.name = name ?? NewServiceAccount.defaultName
        guard NewServiceAccount.isName(self.name) else {
            throw UsageError("NAME is 1 to 63 lower-case letters, digits and hyphens, and begins with a letter.")
        }
        destination = KeyFileDestination(file)
        try destination.check()
        guard let url = try MeshAddresses(environment).adminURL else {
            throw UsageError(
                "--admin-url or LATCHKEY_ADMIN_URL is missing: the admin listener has no address of its own.")
        }
        adminURL = url
    }

    /// Writes the key file and registers its key.
    /// - Throws: `ServiceError`; the file is then removed again.
    func register(
        for project: ProjectID, over bus: any BusRequestSending
    ) async throws -> Identity.ServiceAccountKey {
        let pool = BlockingPool(label: "keys", threads: 1, maximumWaiting: 1)
        let account = try await pool.run { [self] in
            let account = try NewServiceAccount(name: name, project: project, adminURL: adminURL)
            try destination.write(account.file)
            return account
        }
        do {
            _ = try await bus.send(
                Identity.AddServiceAccountKey(key: account.key, client: .operatorCommand), .ofOperator())
        } catch {
            destination.discard()
            throw error
        }
        return account.key
    }
}

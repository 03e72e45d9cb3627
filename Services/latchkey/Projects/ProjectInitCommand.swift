import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey init [ID] -o FILE`: the first run in production.
struct ProjectInitCommand: Command {
    private static let id = Operand(
        "ID", isOptional: true, "id of the project: letters, digits and hyphens (default: LATCHKEY_PROJECT)")

    static let declaration = CommandDeclaration(
        "init", "create a project with its API key and a service account, and print what to copy",
        discussion: """
            It completes a project that `latchkey up` created from LATCHKEY_PROJECT. It refuses a project that has a \
            service account already: `service-account create` adds a further key.
            """, operands: [id], options: NewKeyArguments.options + [.json] + MeshArguments.options)

    private let project: ProjectID
    private let key: NewKeyArguments
    private let addresses: MeshAddresses
    private let mesh: MeshArguments

    /// - Throws: `UsageError`, `SettingsError`, and `LauncherError` if the file exists or the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        let named = try arguments.optional(Self.id).map { try ProjectID(operand: $0) }
        key = try NewKeyArguments(arguments, environment, name: nil)
        guard key.destination != .standardOutput else {
            throw UsageError("init prints what to copy, so -o requires the path of a file.")
        }
        addresses = try MeshAddresses(environment)
        mesh = try MeshArguments(arguments, environment, requiresProject: named == nil)
        project = named ?? mesh.project ?? ProcessSettings.devProject
    }

    func run() async throws {
        let result = try await mesh.withRequests(initialize)
        try mesh.output.show(result, result.fields)
        guard !mesh.output.isJSON else { return }
        for line in result.nextSteps { mesh.output.note(line) }
    }

    /// - Throws: `ProjectCommandError.nothingToDo` for a project that has a service account.
    func initialize(_ bus: any BusRequestSending) async throws -> Result {
        let created: Identity.ProjectSummary
        if let existing = try await bus.project(project) {
            let keys = try await bus.send(
                Identity.ListServiceAccountKeys(project: project), .ofOperator()
            ).keys
            guard keys.isEmpty else {
                throw ProjectCommandError.nothingToDo(
                    "The project \(project) exists and has a service account. `latchkey service-account create` adds a "
                        + "key, and `latchkey projects show` prints the API key.")
            }
            created = existing
        } else {
            created = try await bus.send(
                Identity.CreateProject(project: project, client: .operatorCommand), .ofOperator())
        }
        let account = try await key.register(for: project, over: bus)
        return Result(created, account, key, publicURL: addresses.publicURL)
    }

    /// What the operator copies. The names of the members are stable.
    struct Result: Encodable, Equatable {
        var project: String
        var projectNumber: String
        var apiKey: String
        var serviceAccount: String
        var keyID: String
        var keyFile: String
        var publicURL: String?
        var adminURL: String

        fileprivate init(
            _ project: Identity.ProjectSummary, _ account: Identity.ServiceAccountKey, _ key: NewKeyArguments,
            publicURL: String?
        ) {
            self.project = project.id.rawValue
            projectNumber = project.number
            apiKey = project.apiKey
            serviceAccount = account.email
            keyID = account.keyID
            switch key.destination {
            case .file(let path): keyFile = path
            case .standardOutput: keyFile = "-"
            }
            self.publicURL = publicURL
            adminURL = key.adminURL
        }

        var fields: [(name: String, text: String?)] {
            [
                ("Project", project), ("Number", projectNumber), ("API key", apiKey),
                ("Service account", serviceAccount), ("Key file", "\(keyFile) (mode 0600, the only copy)"),
                ("Public URL", publicURL ?? "not set: LATCHKEY_PUBLIC_URL"), ("Admin URL", adminURL),
            ]
        }

        var nextSteps: [String] {
            [
                "", "Copy to each backend: the key file, and this environment.",
                "  GOOGLE_APPLICATION_CREDENTIALS=\(keyFile)", "  GOOGLE_CLOUD_PROJECT=\(project)", "",
                "Next steps:", "  latchkey client-config web --project \(project)    what a web application needs",
                "  latchkey token \(keyFile)    an access token for the admin API",
                "  latchkey projects config get --project \(project)    the configuration: sign-in methods, domains",
            ]
        }
    }
}

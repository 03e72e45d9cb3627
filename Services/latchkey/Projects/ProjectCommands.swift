import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey projects list`.
struct ProjectListCommand: Command {
    static let declaration = CommandDeclaration(
        "list", "print the projects of the mesh", options: [.json] + MeshArguments.options)

    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment)
    }

    func run() async throws { try await mesh.withRequests { try await write($0, to: mesh.output) } }

    func write(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        var list = output.list(
            OutputColumn("PROJECT") { (project: ProjectRecord) in project.id }, OutputColumn("NUMBER") { $0.number },
            OutputColumn("API KEY") { $0.apiKey }, OutputColumn("CREATED") { $0.createdAt })
        var after: ProjectID?
        repeat {
            let page = try await bus.send(
                Identity.ListProjects(after: after, limit: Identity.ListProjects.maximumCount), .ofOperator())
            try list.append(page.projects.map(ProjectRecord.init))
            after = page.hasMore ? page.projects.last?.id : nil
        } while after != nil
        if list.count == 0 { output.note("The mesh has no projects. `latchkey init` creates the first one.") }
    }
}

/// `latchkey projects show`.
struct ProjectShowCommand: Command {
    static let declaration = CommandDeclaration(
        "show", "print a project with its number and API key", options: [.json] + MeshArguments.projectOptions)

    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws {
        let found = try await target.mesh.withRequests { try await $0.project(target.project) }
        guard let found else { throw ProjectCommandError.noProject(target.project) }
        let record = ProjectRecord(found)
        try target.mesh.output.show(record, record.fields)
    }
}

/// `latchkey projects create ID`.
struct ProjectCreateCommand: Command {
    private static let id = Operand(
        "ID", "id of the project: 1 to 128 letters, digits, hyphens, underscores, dots and colons")

    static let declaration = CommandDeclaration(
        "create", "create a project, and print its number and API key",
        discussion: "`latchkey init` also creates a service account for backends.", operands: [id],
        options: [.json] + MeshArguments.options)

    private let project: ProjectID
    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        project = try ProjectID(operand: arguments[Self.id])
        mesh = try MeshArguments(arguments, environment)
    }

    func run() async throws {
        let created = try await mesh.withRequests { bus in
            try await bus.send(
                Identity.CreateProject(project: project, client: .operatorCommand), .ofOperator())
        }
        let record = ProjectRecord(created)
        try mesh.output.show(record, record.fields)
    }
}

/// A project in the output. The names of the members are stable.
struct ProjectRecord: Encodable, Equatable {
    var id: String
    var number: String
    var apiKey: String
    var createdAt: String

    init(_ project: Identity.ProjectSummary) {
        id = project.id.rawValue
        number = project.number
        apiKey = project.apiKey
        createdAt = project.createdAt.text
    }

    var fields: [(name: String, text: String?)] {
        [("Project", id), ("Number", number), ("API key", apiKey), ("Created", createdAt)]
    }
}

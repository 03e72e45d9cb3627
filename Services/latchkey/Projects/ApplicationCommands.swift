import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey apps add NAME --kind KIND --redirect URL`.
struct ApplicationAddCommand: Command {
    private static let name = Operand("NAME", "name that users see")
    private static let kind = CommandOption(
        "kind", value: "KIND", completion: .words(Identity.ApplicationRegistration.Kind.words),
        "where the application runs")
    private static let redirect = CommandOption(
        "redirect", value: "URL", canRepeat: true, "address to which users may return")
    private static let origin = CommandOption(
        "origin", value: "ORIGIN", canRepeat: true,
        "origin whose scripts may sign users in, for the kind web (default: those of the redirect addresses)")

    static let declaration = CommandDeclaration(
        "add", "register an application, and print its client ID and API key",
        discussion: """
            web: the redirect address is https; in dev mode also http on a loopback address. ios, android: it has a \
            scheme like com.example.app:/signed-in, or is https. tool: it is like http://127.0.0.1/signed-in, and the \
            tool may listen on any port.
            """, operands: [name], options: [kind, redirect, origin, .json] + MeshArguments.projectOptions)

    private let registration: Identity.ApplicationRegistration
    private let output: CommandOutput
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        guard let kind = arguments.value(Self.kind).flatMap(Identity.ApplicationRegistration.Kind.init(word:)) else {
            throw UsageError(
                "--kind is missing: \(Identity.ApplicationRegistration.Kind.words.joined(separator: ", ")).")
        }
        let redirects = arguments.values(Self.redirect)
        guard !redirects.isEmpty else {
            throw UsageError("--redirect is missing: an application has at least one redirect address.")
        }
        registration = .init(
            displayName: arguments[Self.name], kind: kind, redirectURLs: redirects,
            origins: arguments.values(Self.origin))
        output = CommandOutput(arguments)
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws { try await target.mesh.withRequests { try await add($0, to: output) } }

    func add(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        let created = try await bus.send(
            Identity.CreateApplication(
                project: target.project, registration: registration, client: .operatorCommand), .ofOperator())
        let record = ApplicationRecord(created)
        try output.show(record, record.fields)
    }
}

/// `latchkey apps list`.
struct ApplicationListCommand: Command {
    static let declaration = CommandDeclaration(
        "list", "print the applications of a project", options: [.json] + MeshArguments.projectOptions)

    private let output: CommandOutput
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        output = CommandOutput(arguments)
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws { try await target.mesh.withRequests { try await write($0, to: output) } }

    func write(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        let applications = try await bus.send(Identity.ListApplications(project: target.project), .ofOperator())
            .applications
        var list = output.list(
            OutputColumn("CLIENT ID") { (application: ApplicationRecord) in application.clientID },
            OutputColumn("KIND") { $0.kind }, OutputColumn("NAME") { $0.displayName },
            OutputColumn("REDIRECT ADDRESSES") { $0.redirectURLs.joined(separator: " ") })
        try list.append(applications.map(ApplicationRecord.init))
        if applications.isEmpty { output.note("The project \(target.project) has no applications.") }
    }
}

/// `latchkey apps remove CLIENT`.
struct ApplicationRemoveCommand: Command {
    private static let client = Operand("CLIENT", "client ID of the application, as `apps list` prints it")

    static let declaration = CommandDeclaration(
        "remove", "remove an application, which can sign in nobody from now on", operands: [client],
        options: MeshArguments.projectOptions)

    private let id: ApplicationID
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        id = ApplicationID(arguments[Self.client])
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws { print(try await target.mesh.withRequests(remove)) }

    /// - Returns: the sentence for the operator.
    func remove(_ bus: any BusRequestSending) async throws -> String {
        _ = try await bus.send(
            Identity.DeleteApplication(project: target.project, id: id, client: .operatorCommand), .ofOperator())
        return "Removed the application \(id) of project \(target.project)."
    }
}

/// An application in the output. The names of the members are stable.
struct ApplicationRecord: Encodable, Equatable {
    var clientID: String
    var kind: String
    var displayName: String
    var redirectURLs: [String]
    var origins: [String]
    var apiKey: String
    var createdAt: String

    init(_ application: Identity.Application) {
        clientID = application.id.rawValue
        kind = application.registration.kind.word
        displayName = application.registration.displayName
        redirectURLs = application.registration.redirectURLs
        origins = application.registration.origins
        apiKey = application.apiKey
        createdAt = application.createdAt.text
    }

    var fields: [(name: String, text: String?)] {
        [
            ("Client ID", clientID), ("Kind", kind), ("Name", displayName),
            ("Redirect addresses", redirectURLs.joined(separator: " ")),
            ("Origins", origins.nilIfEmpty?.joined(separator: " ")), ("API key", apiKey), ("Created", createdAt),
        ]
    }
}

extension Identity.ApplicationRegistration.Kind {
    /// On the command line.
    fileprivate var word: String { rawValue.asciiLowercased }

    fileprivate static var words: [String] { allCases.map(\.word) }

    fileprivate init?(word: String) {
        self.init(rawValue: word.asciiUppercased)
    }
}

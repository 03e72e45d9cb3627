import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Settings
import Vocabulary

/// The operand of the commands about operators.
private let emailOperand = Operand("EMAIL", "address of the operator")

/// How the commands about operators reach the mesh, and the console in their links.
struct OperatorArguments: Sendable {
    private static let adminURL = CommandOption(
        "admin-url", value: "URL", overrides: .adminURL, "URL of the admin listener for the browsers of operators")
    static let linkOptions: [CommandOption] = [adminURL, .json] + MeshArguments.projectOptions

    let mesh: MeshArguments
    /// Nil if the settings name no address that a browser can use.
    private let consoleURL: String?

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment)
        consoleURL = try MeshAddresses(environment).adminURL
    }

    /// The link with which an operator sets a password.
    func link(_ code: Secret<String>) -> String {
        (consoleURL ?? "") + "/console/welcome?code=\(PercentEncoding.encoded(code.reveal()))"
    }

    /// Below a link.
    static let notice =
        "The link is valid once, for an hour, and is not shown again. Whoever has it becomes the operator."
}

/// `latchkey operator add EMAIL`.
struct OperatorAddCommand: Command {
    private static let role = CommandOption(
        "role", value: "ROLE", "viewer, support or administrator (default: administrator)")

    static let declaration = CommandDeclaration(
        "add", "let a person use the console, or change the role of an operator",
        discussion: """
            A new operator gets a link: it leads to a page that sets the password and adds an authenticator app. A viewer \
            reads. A supporter also disables accounts, ends sessions and removes second factors. An administrator does \
            everything. Without --project, the role is for the whole installation.
            """,
        operands: [emailOperand], options: [role] + OperatorArguments.linkOptions)

    private let email: String
    private let role: Identity.OperatorRole
    private let target: OperatorArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        email = arguments[emailOperand]
        let text = arguments.value(Self.role) ?? Identity.OperatorRole.administrator.rawValue
        guard let role = Identity.OperatorRole(rawValue: text) else {
            throw UsageError("--role is viewer, support or administrator.")
        }
        self.role = role
        target = try OperatorArguments(arguments, environment)
    }

    /// The output with `--json`.
    struct Result: Encodable, Equatable {
        var email: String
        var roles: [String]
        /// Of a new operator.
        var link: String?

        var sentence: String {
            let list = roles.isEmpty ? email : "\(email): \(roles.joined(separator: ", "))"
            return link.map { "\(list)\n\($0)\n\(OperatorArguments.notice)" } ?? list
        }
    }

    func run() async throws {
        let result = try await target.mesh.withRequests(send)
        try target.mesh.output.showLines(result, result.sentence)
    }

    func send(_ bus: any BusRequestSending) async throws -> Result {
        let reply = try await bus.send(
            Identity.GrantOperatorRole(
                email: email, grant: .init(project: target.mesh.givenProject, role: role), client: .operatorCommand),
            .ofOperator())
        return Result(
            email: reply.operator.email.rawValue, roles: reply.operator.grants.map(\.text),
            link: reply.code.map(target.link))
    }
}

/// Nobody with the address is an operator, or has a role in the project.
struct UnknownOperatorError: ExitError, Equatable {
    let messages = ["There is no such operator. `latchkey operator list` lists them."]

    /// Runs `body`, whose account is an operator.
    static func naming<Reply>(_ body: () async throws -> Reply) async throws -> Reply {
        do {
            return try await body()
        } catch let error as ServiceError where error.code == .accountNotFound {
            throw UnknownOperatorError()
        }
    }
}

/// `latchkey operator reset EMAIL`.
struct OperatorResetCommand: Command {
    static let declaration = CommandDeclaration(
        "reset", "print a link with which an operator begins again",
        discussion: """
            For an operator without the password or the authenticator app: both are removed, and every session of the \
            console ends. The roles stay.
            """,
        operands: [emailOperand], options: OperatorArguments.linkOptions)

    private let email: String
    private let target: OperatorArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        email = arguments[emailOperand]
        target = try OperatorArguments(arguments, environment)
    }

    func run() async throws {
        let result = try await target.mesh.withRequests(send)
        try target.mesh.output.showLines(result, result.sentence)
    }

    func send(_ bus: any BusRequestSending) async throws -> OperatorAddCommand.Result {
        let reply = try await UnknownOperatorError.naming {
            try await bus.send(Identity.ResetOperator(email: email, client: .operatorCommand), .ofOperator())
        }
        return .init(email: email, roles: [], link: target.link(reply.code))
    }
}

/// `latchkey operator remove EMAIL`.
struct OperatorRemoveCommand: Command {
    static let declaration = CommandDeclaration(
        "remove", "remove an operator, or with --project the role in a project",
        discussion: "Every session of the operator ends at once.", operands: [emailOperand],
        options: MeshArguments.projectOptions)

    private let email: String
    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        email = arguments[emailOperand]
        mesh = try MeshArguments(arguments, environment)
    }

    func run() async throws { print(try await mesh.withRequests(send)) }

    /// - Returns: the sentence for the operator.
    func send(_ bus: any BusRequestSending) async throws -> String {
        _ = try await UnknownOperatorError.naming {
            try await bus.send(
                Identity.RemoveOperator(email: email, project: mesh.givenProject, client: .operatorCommand),
                .ofOperator())
        }
        return mesh.givenProject.map { "Removed the role of \(email) in the project \($0)." } ?? "Removed \(email)."
    }
}

/// `latchkey operator list`.
struct OperatorListCommand: Command {
    static let declaration = CommandDeclaration(
        "list", "print the operators of the console and their roles", options: [.json] + MeshArguments.options)

    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment)
    }

    /// An operator in the output. The names of the members are stable.
    private struct Row: Encodable {
        var email: String
        var roles: [String]
        var hasSecondFactor: Bool
        var lastSignInAt: String?

        init(_ found: Identity.Operator) {
            email = found.email.rawValue
            roles = found.grants.map(\.text)
            hasSecondFactor = found.hasSecondFactor
            lastSignInAt = found.lastSignInAt?.text
        }
    }

    func run() async throws { try await mesh.withRequests { try await write($0, to: mesh.output) } }

    func write(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        let operators = try await bus.send(Identity.ListOperators(), .ofOperator()).operators
        var list = output.list(
            OutputColumn<Row>("OPERATOR") { $0.email }, OutputColumn("ROLES") { $0.roles.joined(separator: ", ") },
            OutputColumn("SECOND FACTOR") { $0.hasSecondFactor ? "yes" : "no" },
            OutputColumn("LAST SIGN-IN") { $0.lastSignInAt ?? "" })
        try list.append(operators.map(Row.init))
        if operators.isEmpty {
            output.note("There are no operators. Add the first with `latchkey operator add EMAIL`.")
        }
    }
}

extension Identity.OperatorGrant {
    /// `support` or `support in shop`.
    fileprivate var text: String { project.map { "\(role.rawValue) in \($0)" } ?? role.rawValue }
}

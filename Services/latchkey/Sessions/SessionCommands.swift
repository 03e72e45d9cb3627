import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey sessions list USER`.
struct SessionListCommand: Command {
    private static let limit = CommandOption("limit", value: "N", "number of sessions (default: 100)")

    static let declaration = CommandDeclaration(
        "list", "print the sessions of a user, the latest used first",
        operands: [UserSelector.operand], options: [limit, .json] + UserArguments.options)

    private static let defaultLimit = 100

    private let user: UserSelector
    private let limit: Int
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        user = UserSelector(text: arguments[UserSelector.operand])
        limit = try arguments.integer(Self.limit, 1...Identity.ListSessions.maximumCount) ?? Self.defaultLimit
        target = try UserArguments(arguments, environment)
    }

    func run() async throws {
        try await target.mesh.withRequests { try await write($0, to: target.mesh.output) }
    }

    func write(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        let account = try await user.account(in: target.realm, bus)
        let sessions = try await bus.send(
            Identity.ListSessions(realm: target.realm, accountID: account.id, limit: limit), .ofOperator()
        ).sessions
        var list = output.listSessions()
        try list.append(sessions.map(SessionRecord.init))
        if sessions.isEmpty { output.note("\(account.shownName) has no sessions.") }
    }
}

/// `latchkey sessions revoke USER SESSION`.
struct SessionRevokeCommand: Command {
    private static let session = Operand(
        "SESSION", "id of the session, as `sessions list` prints it; one that begins with - comes after --")

    static let declaration = CommandDeclaration(
        "revoke", "end one session of a user",
        discussion: """
            The session cannot be refreshed from now on. Its last ID token is valid until it expires, at most an hour \
            later. `users revoke-sessions` ends every session and voids every token.
            """,
        operands: [UserSelector.operand, session], options: UserArguments.options)

    private let user: UserSelector
    private let session: String
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        user = UserSelector(text: arguments[UserSelector.operand])
        session = arguments[Self.session]
        target = try UserArguments(arguments, environment)
    }

    func run() async throws { print(try await target.mesh.withRequests(revoke)) }

    /// - Returns: the sentence for the operator.
    func revoke(_ bus: any BusRequestSending) async throws -> String {
        let account = try await user.account(in: target.realm, bus)
        _ = try await bus.send(
            Identity.EndSession(
                realm: target.realm, accountID: account.id, sessionID: session, client: .operatorCommand),
            .ofOperator())
        return "Ended the session \(session) of \(account.shownName)."
    }
}

/// A session in the output. The names of the members are stable.
struct SessionRecord: Encodable, Equatable {
    var id: String
    var createdAt: String
    var lastUsedAt: String
    var signInMethod: String
    var secondFactor: String?
    var clientAddress: String?
    /// Tokens of the session permit the enrollment of a second factor only.
    var isEnrollmentOnly: Bool

    init(_ session: Identity.AccountSession) {
        id = session.id
        createdAt = session.createdAt.text
        lastUsedAt = session.lastUsedAt.text
        signInMethod = session.signInProvider
        secondFactor = session.secondFactor
        clientAddress = session.clientAddress
        isEnrollmentOnly = session.isEnrollmentOnly
    }
}

extension CommandOutput {
    func listSessions() -> OutputList<SessionRecord> {
        list(
            OutputColumn("SESSION") { $0.id }, OutputColumn("CREATED") { $0.createdAt },
            OutputColumn("LAST USED") { $0.lastUsedAt }, OutputColumn("SIGN-IN") { $0.signInMethod },
            OutputColumn("SECOND FACTOR") { $0.isEnrollmentOnly ? "enrollment required" : $0.secondFactor ?? "" },
            OutputColumn("ADDRESS") { $0.clientAddress ?? "" })
    }
}

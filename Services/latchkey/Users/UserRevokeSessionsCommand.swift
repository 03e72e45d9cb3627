import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey users revoke-sessions USER`.
struct UserRevokeSessionsCommand: Command {
    static let declaration = CommandDeclaration(
        "revoke-sessions", "end every session of a user, and void the tokens issued so far",
        discussion: """
            Latchkey refuses the ID tokens at once. A backend that verifies tokens by itself accepts them until they \
            expire, at most an hour later, unless it checks revocation. `sessions revoke` ends one session.
            """,
        operands: [UserSelector.operand], options: UserArguments.options)

    private let user: UserSelector
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        user = UserSelector(text: arguments[UserSelector.operand])
        target = try UserArguments(arguments, environment)
    }

    func run() async throws {
        let now = WallClock.now().timestamp
        print(try await target.mesh.withRequests { try await revoke($0, at: now) })
    }

    /// - Returns: the sentence for the operator.
    func revoke(_ bus: any BusRequestSending, at now: Timestamp) async throws -> String {
        let account = try await user.account(in: target.realm, bus)
        let ended = try await bus.send(
            Identity.ListSessions(
                realm: target.realm, accountID: account.id, limit: Identity.ListSessions.maximumCount),
            .ofOperator())
        _ = try await bus.send(
            Identity.UpdateAccount(
                realm: target.realm, accountID: account.id,
                changes: .init(validSince: max(now, account.validSince)), client: .operatorCommand),
            .ofOperator())
        let count = ended.sessions.count
        let shown = "\(ended.hasMore ? "more than " : "")\(count) session\(count == 1 ? "" : "s")"
        return "Ended \(count == 0 ? "no session" : shown) of \(account.shownName). Tokens from before are void."
    }
}

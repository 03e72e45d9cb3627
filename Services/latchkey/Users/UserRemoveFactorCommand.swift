import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey users remove-factor USER [ID]`.
struct UserRemoveFactorCommand: Command {
    private static let factor = Operand(
        "ID", isOptional: true, "id of the second factor or passkey, as `users show` prints it")
    private static let all = CommandOption("all", "every second factor and passkey")

    static let declaration = CommandDeclaration(
        "remove-factor", "remove a second factor or a passkey of a user who lost it",
        discussion: """
            The removal of a second factor ends the sessions of the user. A user without a second factor signs in with the \
            first factor alone, unless the project requires a second one: then the next sign-in leads to an enrollment.
            """,
        operands: [UserSelector.operand, factor], options: [all] + UserArguments.options)

    private let user: UserSelector
    /// Nil: all.
    private let factor: String?
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        user = UserSelector(text: arguments[UserSelector.operand])
        factor = arguments.optional(Self.factor)
        guard (factor == nil) == arguments.has(Self.all) else {
            throw UsageError("Name one second factor or passkey by its ID, or all of them with --all.")
        }
        target = try UserArguments(arguments, environment)
    }

    func run() async throws { print(try await target.mesh.withRequests(remove)) }

    /// - Returns: the sentence for the operator.
    /// - Throws: `UserCommandError.nothingToDo` without such a factor.
    func remove(_ bus: any BusRequestSending) async throws -> String {
        let account = try await user.account(in: target.realm, bus)
        let removable = Self.removable(account)
        let chosen = removable.filter { factor == nil || $0.id == factor }
        guard !chosen.isEmpty else {
            let listed = removable.map(\.id).joined(separator: ", ")
            throw UserCommandError.nothingToDo(
                removable.isEmpty
                    ? "\(account.shownName) has no second factor and no passkey."
                    : "\(account.shownName) has no second factor or passkey with this id. The ids are: \(listed).")
        }
        _ = try await bus.send(
            Identity.UpdateAccount(
                realm: target.realm, accountID: account.id, changes: .init(removals: chosen.map(\.removal)),
                client: .operatorCommand),
            .ofOperator())
        return "Removed \(chosen.map(\.name).joined(separator: " and ")) of \(account.shownName)."
    }

    private typealias Removable = (id: String, name: String, removal: Identity.AccountChanges.Removal)

    private static func removable(_ account: Account) -> [Removable] {
        account.secondFactors.map { factor in
            let method = factor.kind.method.rawValue
            return (factor.id.rawValue, "the second factor \(factor.id) (\(method))", .secondFactor(factor.id))
        }
            + account.passkeys.map { passkey in
                let id = Base64URL.encode(passkey.credentialID.bytes)
                return (id, "the passkey \(id)", .passkey(passkey.credentialID))
            }
    }
}

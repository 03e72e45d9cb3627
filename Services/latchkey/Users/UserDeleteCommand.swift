import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey users delete USER --yes`.
struct UserDeleteCommand: Command {
    private static let yes = CommandOption("yes", "delete the user")

    static let declaration = CommandDeclaration(
        "delete", "delete a user with every session, factor and passkey",
        discussion:
            "A deleted user cannot be restored, except from a backup. Without --yes the command deletes nothing.",
        operands: [UserSelector.operand], options: [yes] + UserArguments.options)

    private let user: UserSelector
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        guard arguments.has(Self.yes) else {
            throw UsageError("A deleted user cannot be restored. Add --yes to delete the user.")
        }
        user = UserSelector(text: arguments[UserSelector.operand])
        target = try UserArguments(arguments, environment)
    }

    func run() async throws { print(try await target.mesh.withRequests(delete)) }

    /// - Returns: the sentence for the operator.
    func delete(_ bus: any BusRequestSending) async throws -> String {
        let account = try await user.account(in: target.realm, bus)
        _ = try await bus.send(
            Identity.DeleteAccount(realm: target.realm, accountID: account.id, client: .operatorCommand),
            .ofOperator())
        return "Deleted \(account.shownName)."
    }
}

import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey users disable USER`.
struct UserDisableCommand: Command {
    static let declaration = CommandDeclaration(
        "disable", "refuse the sign-ins and tokens of a user",
        discussion: "The sessions of the user continue when the user is enabled again.",
        operands: [UserSelector.operand], options: UserArguments.options)

    private let change: UserStateChange

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        change = try UserStateChange(arguments, environment, disables: true)
    }

    func run() async throws { print(try await change.target.mesh.withRequests(change.apply)) }
}

/// `latchkey users enable USER`.
struct UserEnableCommand: Command {
    static let declaration = CommandDeclaration(
        "enable", "allow the sign-ins of a disabled user again", operands: [UserSelector.operand],
        options: UserArguments.options)

    private let change: UserStateChange

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        change = try UserStateChange(arguments, environment, disables: false)
    }

    func run() async throws { print(try await change.target.mesh.withRequests(change.apply)) }
}

/// The change of `users disable` and `users enable`.
struct UserStateChange: Sendable {
    let user: UserSelector
    let disables: Bool
    let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment, disables: Bool) throws {
        user = UserSelector(text: arguments[UserSelector.operand])
        self.disables = disables
        target = try UserArguments(arguments, environment)
    }

    /// - Returns: the sentence for the operator.
    /// - Throws: `UserCommandError.nothingToDo` if the user is in this state.
    func apply(_ bus: any BusRequestSending) async throws -> String {
        let account = try await user.account(in: target.realm, bus)
        let state = disables ? "disabled" : "enabled"
        guard account.disabled != disables else {
            throw UserCommandError.nothingToDo("\(account.shownName) is \(state) already.")
        }
        _ = try await bus.send(
            Identity.UpdateAccount(
                realm: target.realm, accountID: account.id, changes: .init(disabled: disables),
                client: .operatorCommand),
            .ofOperator())
        return "\(account.shownName) is \(state)."
    }
}

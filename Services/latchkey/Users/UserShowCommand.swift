import CommandLineArguments
import Contracts
import ServiceRuntime

/// `latchkey users show USER`.
struct UserShowCommand: Command {
    static let declaration = CommandDeclaration(
        "show", "print one user with every sign-in method, second factor and passkey",
        operands: [UserSelector.operand], options: [.json] + UserArguments.options)

    private let user: UserSelector
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        user = UserSelector(text: arguments[UserSelector.operand])
        target = try UserArguments(arguments, environment)
    }

    func run() async throws {
        let account = try await target.mesh.withRequests { try await user.account(in: target.realm, $0) }
        let record = UserRecord(account)
        try target.mesh.output.show(record, record.fields)
    }
}

import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey users create`.
struct UserCreateCommand: Command {
    private static let uid = CommandOption("uid", value: "ID", "user id (default: a random one)")
    private static let email = CommandOption("email", value: "ADDRESS", "e-mail address")
    private static let emailVerified = CommandOption("email-verified", "the address is verified")
    private static let phone = CommandOption("phone", value: "NUMBER", "phone number, such as +15551234567")
    private static let name = CommandOption("name", value: "TEXT", "display name")
    private static let disabled = CommandOption("disabled", "the user cannot sign in yet")
    private static let passwordStdin = CommandOption(
        "password-stdin", "read the password from standard input: its first line")

    static let declaration = CommandDeclaration(
        "create", "create a user and print the user id",
        discussion: "A password on a command line would be visible to other users of the machine: no option takes it.",
        options: [uid, email, emailVerified, phone, name, disabled, passwordStdin, .json] + UserArguments.options)

    private let request: Identity.CreateAccount
    private let readsPassword: Bool
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        readsPassword = arguments.has(Self.passwordStdin)
        let email = arguments.value(Self.email)
        guard email != nil || !readsPassword else { throw UsageError("--password-stdin requires --email.") }
        guard email != nil || !arguments.has(Self.emailVerified) else {
            throw UsageError("--email-verified requires --email.")
        }
        target = try UserArguments(arguments, environment)
        request = Identity.CreateAccount(
            realm: target.realm, accountID: arguments.value(Self.uid).map { AccountID($0) }, email: email,
            emailVerified: arguments.has(Self.emailVerified), displayName: arguments.value(Self.name),
            phoneNumber: arguments.value(Self.phone), disabled: arguments.has(Self.disabled),
            client: .operatorCommand)
    }

    func run() async throws {
        let password = readsPassword ? try Self.password(from: readLine(strippingNewline: true)) : nil
        let account = try await target.mesh.withRequests { try await create(password, $0) }
        try target.mesh.output.show(UserRecord(account), "Created \(account.shownName).")
    }

    func create(_ password: Secret<String>?, _ bus: any BusRequestSending) async throws -> Account {
        var request = request
        request.password = password
        return try await bus.send(request, .ofOperator()).account
    }

    private static func password(from line: String?) throws -> Secret<String> {
        guard let line, !line.isEmpty else {
            throw UserCommandError.unusableInput("--password-stdin requires a password on standard input.")
        }
        return Secret(line)
    }
}

import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey users reset-password USER`.
struct UserResetPasswordCommand: Command {
    private static let printLink = CommandOption("print-link", "print the link instead of sending the e-mail")
    private static let continueURL = CommandOption(
        "continue-url", value: "URL", "where the page leads afterwards; its host is an authorized domain of the project"
    )
    private static let language = CommandOption("language", value: "CODE", "language of the e-mail, such as de")

    static let declaration = CommandDeclaration(
        "reset-password", "send the user the e-mail that resets the password",
        discussion: """
            The password and the sessions stay as they are until the user opens the link and sets a new password. \
            --print-link is for a user who cannot receive the e-mail: any person with the link can set the password.
            """,
        operands: [UserSelector.operand], options: [printLink, continueURL, language, .json] + UserArguments.options)

    private let user: UserSelector
    private let printsLink: Bool
    private let continueURL: String?
    private let language: String?
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        user = UserSelector(text: arguments[UserSelector.operand])
        printsLink = arguments.has(Self.printLink)
        continueURL = arguments.value(Self.continueURL)
        language = arguments.value(Self.language)
        guard !printsLink || language == nil else { throw UsageError("--language has no effect with --print-link.") }
        target = try UserArguments(arguments, environment)
    }

    /// The output with `--json`.
    struct Result: Encodable, Equatable {
        var email: String
        /// Nil: it is in the e-mail.
        var link: String?

        var sentence: String { link ?? "The e-mail to \(email) is on its way." }
    }

    func run() async throws {
        let result = try await target.mesh.withRequests(send)
        try target.mesh.output.show(result, result.sentence)
    }

    func send(_ bus: any BusRequestSending) async throws -> Result {
        let account = try await user.account(in: target.realm, bus)
        guard let email = account.email else {
            throw UserCommandError.nothingToDo("\(account.shownName) has no e-mail address.")
        }
        let reply = try await bus.send(
            Identity.SendActionCode(
                realm: target.realm, purpose: .passwordReset, email: email.rawValue,
                settings: .init(continueURL: continueURL), locale: language, isByAdministrator: true,
                returnsLink: printsLink, client: .operatorCommand),
            .ofOperator())
        guard printsLink else { return Result(email: email.rawValue, link: nil) }
        guard let link = reply.link else { throw ServiceError(.internal, "the reply has no link") }
        return Result(email: email.rawValue, link: link.reveal())
    }
}

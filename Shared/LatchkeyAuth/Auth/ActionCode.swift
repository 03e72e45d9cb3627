public import Foundation

/// What an action code does.
public enum ActionCodeOperation: String, Sendable {
    case passwordReset = "PASSWORD_RESET"
    case verifyEmail = "VERIFY_EMAIL"
    case emailLink = "EMAIL_SIGNIN"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
    case recoverEmail = "RECOVER_EMAIL"
    case revertSecondFactorAddition = "REVERT_SECOND_FACTOR_ADDITION"
    /// An action of a newer server.
    case unknown = ""
}

/// An action code that was inspected.
public final class ActionCodeInfo: Sendable {
    /// What the code does.
    public let operation: ActionCodeOperation
    /// The address of the account after the operation.
    public let email: String
    /// The address before it, of an operation that changes the address.
    public let previousEmail: String?

    init(_ response: ResetPasswordRequest.Response) {
        operation = ActionCodeOperation(rawValue: response.requestType) ?? .unknown
        email = response.newEmail ?? response.email ?? ""
        previousEmail = response.newEmail.flatMap { _ in response.email }
    }
}

/// A link of an e-mail of the server.
public final class ActionCodeURL: Sendable {
    /// What the link does.
    public let operation: ActionCodeOperation
    private let secret: Secret<String>
    /// The action code.
    public var code: String { secret.reveal() }
    /// The API key of the project.
    public let apiKey: String?
    /// Where the user continues.
    public let continueURL: URL?
    /// The language of the e-mail.
    public let languageCode: String?
    /// The tenant of the account.
    public let tenantID: String?

    /// Reads a link: that of an e-mail, or one that carries it in `link` or `deep_link_id`.
    /// - Returns: nil for any other URL.
    public init?(link: String) {
        guard let items = Self.innermostQuery(of: link) else { return nil }
        let value = { (name: String) in items.first { $0.name == name }?.value }
        guard let code = value("oobCode"), !code.isEmpty, let mode = value("mode"),
            let operation = Self.operations[mode]
        else { return nil }
        self.operation = operation
        secret = Secret(code)
        apiKey = value("apiKey")
        continueURL = value("continueUrl").flatMap(URL.init(string:))
        languageCode = value("lang")
        tenantID = value("tenantId")
    }

    /// The query of the link, or of the link inside it: dynamic links wrap twice at most.
    private static func innermostQuery(of link: String) -> [URLQueryItem]? {
        var items = URLComponents(string: link)?.queryItems
        for _ in 0..<2 {
            guard let inner = items?.first(where: { $0.name == "link" || $0.name == "deep_link_id" })?.value else {
                break
            }
            items = URLComponents(string: inner)?.queryItems
        }
        return items
    }

    private static let operations: [String: ActionCodeOperation] = [
        "resetPassword": .passwordReset, "signIn": .emailLink, "verifyEmail": .verifyEmail,
        "verifyAndChangeEmail": .verifyAndChangeEmail, "recoverEmail": .recoverEmail,
        "revertSecondFactorAddition": .revertSecondFactorAddition,
    ]
}

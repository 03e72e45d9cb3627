public import Foundation

/// Where the link of an e-mail leads after the user has followed it.
public struct ActionCodeSettings: Hashable, Sendable {
    /// The URL of the application to continue with. Its domain is one of the project's authorized domains.
    public var url: URL?
    /// Whether the application handles the link, instead of a page of the server.
    public var handleCodeInApp = false
    /// The bundle ID of the application that opens the link.
    public var iOSBundleID: String?
    /// The package of the Android application that opens the link.
    public private(set) var androidPackageName: String?
    /// Whether a device without that application offers to install it.
    public private(set) var androidInstallIfNotAvailable = false
    /// The oldest version of that application which can handle the link.
    public private(set) var androidMinimumVersion: String?
    /// The domain of the link; nil for that of the project.
    public var linkDomain: String?

    /// Settings without effect.
    public init() {}

    /// Names the Android application that opens the link.
    public mutating func setAndroidPackageName(
        _ name: String, installIfNotAvailable: Bool, minimumVersion: String?
    ) {
        androidPackageName = name
        androidInstallIfNotAvailable = installIfNotAvailable
        androidMinimumVersion = minimumVersion
    }

    /// Names the iOS application that opens the link.
    public mutating func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }
}

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
public struct ActionCodeInfo: Hashable, Sendable {
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
public struct ActionCodeURL: Hashable, Sendable {
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

import Foundation

/// `accounts:update` of the user's own account (REST 2.12).
struct UpdateAccountRequest: AuthRequest {
    static let path = "v1/accounts:update"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    var idToken: String?
    /// The code of an e-mail: applies what the code stands for.
    var oobCode: String?
    var displayName: String?
    var photoUrl: String?
    var email: String?
    var password: String?
    var deleteAttribute: [String]?
    var deleteProvider: [String]?
    var deletePasskey: [String]?
    var tenantId: String?
    var returnSecureToken = true
}

/// `accounts:delete` (REST 2.14).
struct DeleteAccountRequest: AuthRequest {
    static let path = "v1/accounts:delete"
    static let repetition = Repetition.always
    typealias Response = EmptyResponse

    var idToken: String
    var tenantId: String?
}

/// `accounts:sendOobCode` (REST 2.10).
package struct SendActionCodeRequest: AuthRequest {
    package static let path = "v1/accounts:sendOobCode"
    package static let repetition = Repetition.ifNotReceived
    package typealias Response = EmptyResponse

    package enum Kind: String, Encodable, Sendable {
        case passwordReset = "PASSWORD_RESET"
        case emailSignIn = "EMAIL_SIGNIN"
        case verifyEmail = "VERIFY_EMAIL"
        case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
    }

    package var requestType: Kind
    package var email: String?
    package var newEmail: String?
    package var idToken: String?
    package var continueUrl: String?
    package var canHandleCodeInApp: Bool?
    package var iOSBundleId: String?
    package var androidPackageName: String?
    package var androidInstallApp: Bool?
    package var androidMinimumVersion: String?
    package var linkDomain: String?
    /// For an administrator: the response has the link, and no e-mail is sent.
    package var returnOobLink: Bool?
    package var tenantId: String?

    package init(
        _ kind: Kind, email: String? = nil, newEmail: String? = nil, idToken: String? = nil,
        settings: ActionCodeSettings?, tenantId: String?
    ) {
        requestType = kind
        self.email = email
        self.newEmail = newEmail
        self.idToken = idToken
        self.tenantId = tenantId
        continueUrl = settings?.url?.absoluteString
        canHandleCodeInApp = settings.map(\.handleCodeInApp)
        iOSBundleId = settings?.iOSBundleID
        androidPackageName = settings?.androidPackageName
        androidInstallApp = settings?.androidPackageName.map { _ in settings?.androidInstallIfNotAvailable ?? false }
        androidMinimumVersion = settings?.androidMinimumVersion
        linkDomain = settings?.linkDomain
    }
}

/// `accounts:resetPassword` (REST 2.11): inspects an action code, or sets a password with it.
struct ResetPasswordRequest: AuthRequest {
    static let path = "v1/accounts:resetPassword"
    static let repetition = Repetition.always

    var oobCode: String
    var newPassword: String?
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var requestType: String
        var email: String?
        var newEmail: String?
    }
}

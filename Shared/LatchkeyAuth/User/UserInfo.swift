public import Foundation

/// What a provider says about a user: one credential of ``User/providerData``, or the account itself, which is a
/// ``User``.
public protocol UserInfo: Sendable {
    /// Such as `password`, `phone`, `facebook.com` or `oidc.example`.
    var providerID: String { get }
    /// The ID of the user at the provider.
    var uid: String { get }
    /// The name at the provider.
    var displayName: String? { get }
    /// The picture at the provider.
    var photoURL: URL? { get }
    /// The e-mail address at the provider.
    var email: String? { get }
    /// The phone number of the credential `phone`.
    var phoneNumber: String? { get }
}

/// One credential of a user.
package struct ProviderUserInfo: UserInfo, Hashable {
    package let providerID: String
    package let uid: String
    package let displayName: String?
    package let photoURL: URL?
    package let email: String?
    package let phoneNumber: String?

    package init(_ record: AccountRecord.ProviderRecord) {
        providerID = record.providerId
        uid = record.rawId ?? record.federatedId ?? record.email ?? record.phoneNumber ?? ""
        displayName = record.displayName
        photoURL = record.photoUrl.flatMap(URL.init(string:))
        email = record.email
        phoneNumber = record.phoneNumber
    }
}

/// When an account was created and used.
public final class UserMetadata: Sendable {
    /// When the account was created.
    public let creationDate: Date?
    /// When the user last signed in.
    public let lastSignInDate: Date?

    package init(_ account: AccountRecord) {
        creationDate = Self.date(account.createdAt)
        lastSignInDate = Self.date(account.lastLoginAt)
    }

    /// Milliseconds since 1970, as text.
    private static func date(_ text: String?) -> Date? {
        text.flatMap { Int($0) }.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}

/// An ID token and its claims. The library does not verify them: a backend does, for example with
/// `IDTokenVerifier` of LatchkeyAdmin.
public final class AuthTokenResult: Sendable {
    private let secret: Secret<String>
    /// The token, for a backend.
    public var token: String { secret.reveal() }
    /// All claims: `String`, `Int`, `Double`, `Bool`, `NSNull`, arrays and dictionaries.
    public let claims: [String: any Sendable]
    /// When the token expires.
    public let expirationDate: Date
    /// When the server issued the token.
    public let issuedAtDate: Date
    /// When the user signed in.
    public let authDate: Date
    /// The first factor of the sign-in, such as `password`.
    public let signInProvider: String
    /// `phone` or `totp` if the user signed in with a second factor; otherwise empty.
    public let signInSecondFactor: String

    init(token: String) throws(AuthErrorCode) {
        let payload = try IDTokenPayload(token)
        guard let expirationDate = payload.date("exp"), let issuedAtDate = payload.date("iat") else {
            throw AuthErrorCode(.malformedJWT)
        }
        secret = Secret(token)
        claims = payload.claims
        self.expirationDate = expirationDate
        self.issuedAtDate = issuedAtDate
        authDate = payload.date("auth_time") ?? issuedAtDate
        signInProvider = payload.firebaseText("sign_in_provider") ?? ""
        signInSecondFactor = payload.firebaseText("sign_in_second_factor") ?? ""
    }
}

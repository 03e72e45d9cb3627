import Foundation

/// The result of a sign-in.
public final class AuthDataResult: Sendable {
    /// The user who is now signed in.
    public let user: User
    /// What the identity provider said about the user, and whether the account is new.
    public let additionalUserInfo: AdditionalUserInfo?
    /// The credential of the identity provider with the tokens that the server received; nil for other sign-ins.
    public let credential: OAuthCredential?

    init(user: User, additionalUserInfo: AdditionalUserInfo?, credential: OAuthCredential?) {
        self.user = user
        self.additionalUserInfo = additionalUserInfo
        self.credential = credential
    }
}

/// What a sign-in returned beside the user.
public final class AdditionalUserInfo: Sendable {
    /// Such as `password`, `facebook.com` or `oidc.example`.
    public let providerID: String?
    /// The claims of the identity provider: `String`, `Int`, `Double`, `Bool`, `NSNull`, arrays and dictionaries.
    public let profile: [String: any Sendable]?
    /// The name of the user at GitHub or a similar provider.
    public let username: String?
    /// Whether the sign-in created the account.
    public let isNewUser: Bool

    init(_ response: SignInResponse, providerID: String?) {
        self.providerID = response.providerId ?? providerID
        profile = response.rawUserInfo.flatMap { JSONObject(Data($0.utf8))?.members }
        username = response.screenName
        isNewUser = response.isNewUser ?? false
    }
}

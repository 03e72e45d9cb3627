public import Foundation

/// Sign-in with an identity provider: with tokens that the application has, or on a page of the provider.
public final class OAuthProvider: Sendable {
    /// Such as `apple.com`, `oidc.example` or `saml.example`.
    public let providerID: String
    let auth: Auth
    private let request = Locked(Parameters())

    private struct Parameters {
        var scopes: [String] = []
        var customParameters: [String: String] = [:]
    }

    /// A provider of the default application.
    public convenience init(providerID: String) {
        self.init(providerID: providerID, auth: .auth())
    }

    /// A provider of a project.
    public init(providerID: String, auth: Auth) {
        self.providerID = providerID
        self.auth = auth
    }

    /// A provider of the default application.
    public static func provider(providerID: String) -> OAuthProvider { OAuthProvider(providerID: providerID) }

    /// A provider of a project.
    public static func provider(providerID: String, auth: Auth) -> OAuthProvider {
        OAuthProvider(providerID: providerID, auth: auth)
    }

    /// A provider of the default application.
    public static func provider(providerID: AuthProviderID) -> OAuthProvider {
        OAuthProvider(providerID: providerID.rawValue)
    }

    /// A provider of a project.
    public static func provider(providerID: AuthProviderID, auth: Auth) -> OAuthProvider {
        OAuthProvider(providerID: providerID.rawValue, auth: auth)
    }

    /// The OAuth scopes that the sign-in page requests beside those of the configuration.
    public var scopes: [String]? {
        get { request.withLock { $0.scopes } }
        set { request.withLock { $0.scopes = newValue ?? [] } }
    }

    /// Further parameters of the sign-in page, such as `login_hint`.
    public var customParameters: [String: String]? {
        get { request.withLock { $0.customParameters } }
        set { request.withLock { $0.customParameters = newValue ?? [:] } }
    }

    // MARK: - Credentials from tokens

    /// An ID token with the nonce whose SHA-256 it contains; for Facebook Limited Login with `facebook.com`.
    public static func credential(withProviderID providerID: String, idToken: String?, rawNonce: String?)
        -> OAuthCredential
    {
        OAuthCredential(provider: providerID, ProviderTokens(idToken: idToken, rawNonce: rawNonce))
    }

    /// The older spelling of ``credential(withProviderID:idToken:rawNonce:)``.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func credential(withProviderID providerID: String, IDToken idToken: String?, rawNonce: String?)
        -> OAuthCredential
    {
        credential(withProviderID: providerID, idToken: idToken, rawNonce: rawNonce)
    }

    /// An ID token with its nonce, and an access token.
    public static func credential(
        withProviderID providerID: String, idToken: String?, rawNonce: String?, accessToken: String?
    ) -> OAuthCredential {
        OAuthCredential(
            provider: providerID, ProviderTokens(idToken: idToken, rawNonce: rawNonce, accessToken: accessToken))
    }

    /// An ID token and an access token.
    public static func credential(withProviderID providerID: String, idToken: String, accessToken: String?)
        -> OAuthCredential
    {
        OAuthCredential(provider: providerID, ProviderTokens(idToken: idToken, accessToken: accessToken))
    }

    /// An ID token with the nonce whose SHA-256 it contains, and an access token.
    public static func credential(
        providerID: AuthProviderID, idToken: String, rawNonce: String, accessToken: String? = nil
    ) -> OAuthCredential {
        credential(
            withProviderID: providerID.rawValue, idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
    }

    /// An ID token and an access token.
    public static func credential(providerID: AuthProviderID, idToken: String, accessToken: String? = nil)
        -> OAuthCredential
    {
        credential(withProviderID: providerID.rawValue, idToken: idToken, accessToken: accessToken)
    }

    /// An access token.
    public static func credential(providerID: AuthProviderID, accessToken: String) -> OAuthCredential {
        credential(withProviderID: providerID.rawValue, accessToken: accessToken)
    }

    /// An access token.
    public static func credential(withProviderID providerID: String, accessToken: String) -> OAuthCredential {
        OAuthCredential(provider: providerID, ProviderTokens(accessToken: accessToken))
    }

    /// Sign in with Apple, with the name that Apple sends at the first sign-in only.
    public static func appleCredential(withIDToken idToken: String, rawNonce: String?, fullName: PersonNameComponents?)
        -> OAuthCredential
    {
        OAuthCredential(
            provider: "apple.com", ProviderTokens(idToken: idToken, rawNonce: rawNonce, fullName: fullName))
    }
}

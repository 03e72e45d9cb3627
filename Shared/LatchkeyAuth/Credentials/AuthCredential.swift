internal import Foundation

/// What a user presents to sign in. The provider classes create it, such as ``EmailAuthProvider``.
///
/// `@unchecked Sendable`: a class can only be checked if it is final. The stored properties are constants of Sendable
/// types, and no subclass outside of this module is possible.
public class AuthCredential: @unchecked Sendable {
    /// Such as `password`, `phone` or `facebook.com`.
    public let provider: String
    let content: CredentialContent

    init(provider: String, _ content: CredentialContent) {
        self.provider = provider
        self.content = content
    }
}

/// The content of a credential, by the call that accepts it.
enum CredentialContent: Sendable {
    case password(email: String, password: String)
    case emailLink(email: String, link: String)
    case phone(PhoneCredentialContent)
    case identityProvider(ProviderCredentialContent)
}

/// The content of a ``PhoneAuthCredential``.
enum PhoneCredentialContent: Sendable {
    case code(String, verificationID: String)
    /// Of a number that belongs to another account.
    case temporaryProof(String, phoneNumber: String)
}

/// The content of an ``OAuthCredential``.
enum ProviderCredentialContent: Sendable {
    /// Tokens that the application received from the provider.
    case tokens(ProviderTokens)
    /// The server keeps the tokens under this text.
    case pendingToken(String)
    /// The response of the provider's sign-in page, for the browser sign-in with this session ID.
    case response(url: String, sessionID: String)
}

/// Tokens of an identity provider.
struct ProviderTokens: Sendable {
    var idToken: String?
    var rawNonce: String?
    var accessToken: String?
    var secret: String?
    var fullName: PersonNameComponents?
}

/// A phone number that the user proves with a code.
public final class PhoneAuthCredential: AuthCredential, @unchecked Sendable {
    let phone: PhoneCredentialContent

    init(_ phone: PhoneCredentialContent) {
        self.phone = phone
        super.init(provider: PhoneAuthProvider.id, .phone(phone))
    }
}

/// A credential of an identity provider, with the tokens that are known.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
    /// The ID token of the provider.
    public let idToken: String?
    /// The OAuth access token of the provider.
    public let accessToken: String?
    /// The secret of an OAuth 1.0 access token.
    public let secret: String?

    init(provider: String, _ tokens: ProviderTokens) {
        idToken = tokens.idToken
        accessToken = tokens.accessToken
        secret = tokens.secret
        super.init(provider: provider, .identityProvider(.tokens(tokens)))
    }

    /// The response of a sign-in page.
    init(provider: String, responseURL: String, sessionID: String) {
        (idToken, accessToken, secret) = (nil, nil, nil)
        super.init(provider: provider, .identityProvider(.response(url: responseURL, sessionID: sessionID)))
    }

    /// What the server returned after a sign-in or a collision; nil unless it names a provider with tokens.
    init?(_ response: SignInResponse) {
        let tokens = ProviderTokens(
            idToken: response.oauthIdToken, accessToken: response.oauthAccessToken, secret: response.oauthTokenSecret)
        guard let provider = response.providerId,
            tokens.idToken != nil || tokens.accessToken != nil || response.pendingToken != nil
        else { return nil }
        idToken = tokens.idToken
        accessToken = tokens.accessToken
        secret = tokens.secret
        super.init(
            provider: provider,
            .identityProvider(response.pendingToken.map { .pendingToken($0) } ?? .tokens(tokens)))
    }
}

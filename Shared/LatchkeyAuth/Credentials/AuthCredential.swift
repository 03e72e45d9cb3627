import Foundation

/// What a user presents to sign in. The provider classes create it, such as ``EmailAuthProvider``.
///
/// `@unchecked Sendable`: a class can only be checked if it is final. The stored properties are constants of Sendable
/// types, and no subclass outside of this module is possible.
public class AuthCredential: @unchecked Sendable {
    /// Such as `password`, `phone` or `facebook.com`.
    public let provider: String
    private let hidden: Secret<CredentialContent>
    var content: CredentialContent { hidden.reveal() }

    init(provider: String, _ content: CredentialContent) {
        self.provider = provider
        hidden = Secret(content)
    }
}

/// The content of a credential, by the call that accepts it.
enum CredentialContent: Sendable {
    case password(email: String, password: String)
    case emailLink(email: String, link: String)
    case emailCode(String, verificationID: String)
    case phone(PhoneCredentialContent)
    case identityProvider(ProviderCredentialContent)
    case gameCenter(GameCenterAuthProvider.Identity)
}

/// The content of a ``PhoneAuthCredential``.
enum PhoneCredentialContent: Sendable {
    case code(String, verificationID: String)
    /// The proof of a number that belongs to another account.
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
    private let verification: Secret<PhoneCredentialContent>
    var phone: PhoneCredentialContent { verification.reveal() }

    init(_ phone: PhoneCredentialContent) {
        verification = Secret(phone)
        super.init(provider: PhoneAuthProvider.id, .phone(phone))
    }
}

/// A credential of an identity provider, with the tokens that are known.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
    private let tokens: Secret<ProviderTokens>
    /// The ID token of the provider.
    public var idToken: String? { tokens.reveal().idToken }
    /// The OAuth access token of the provider.
    public var accessToken: String? { tokens.reveal().accessToken }
    /// The secret of an OAuth 1.0 access token.
    public var secret: String? { tokens.reveal().secret }

    init(provider: String, _ tokens: ProviderTokens) {
        self.tokens = Secret(tokens)
        super.init(provider: provider, .identityProvider(.tokens(tokens)))
    }

    /// The response of a sign-in page.
    init(provider: String, responseURL: String, sessionID: String) {
        tokens = Secret(ProviderTokens())
        super.init(provider: provider, .identityProvider(.response(url: responseURL, sessionID: sessionID)))
    }

    /// What the server returned after a sign-in or a collision; nil unless it names a provider with tokens.
    init?(_ response: SignInResponse) {
        let tokens = ProviderTokens(
            idToken: response.oauthIdToken, accessToken: response.oauthAccessToken, secret: response.oauthTokenSecret)
        guard let provider = response.providerId,
            tokens.idToken != nil || tokens.accessToken != nil || response.pendingToken != nil
        else { return nil }
        self.tokens = Secret(tokens)
        super.init(
            provider: provider,
            .identityProvider(response.pendingToken.map { .pendingToken($0) } ?? .tokens(tokens)))
    }
}

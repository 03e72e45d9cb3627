import Foundation

/// `accounts:signUp` (REST 2.1): an account with a password, or an anonymous one; with `idToken` it adds the password
/// to that account.
struct SignUpRequest: AuthRequest {
    static let path = "v1/accounts:signUp"
    static let repetition = Repetition.ifNotReceived
    typealias Response = SignInResponse

    var email: String?
    var password: String?
    var idToken: String?
    var tenantId: String?
    var returnSecureToken = true
}

/// `accounts:signInWithPassword` (REST 2.2).
struct PasswordSignInRequest: AuthRequest {
    static let path = "v1/accounts:signInWithPassword"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    var email: String
    var password: String
    var tenantId: String?
    var returnSecureToken = true
}

/// `accounts:signInWithEmailLink` (REST 2.3).
struct EmailLinkSignInRequest: AuthRequest {
    static let path = "v1/accounts:signInWithEmailLink"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    var email: String
    var oobCode: String
    var idToken: String?
    var tenantId: String?
    var returnSecureToken = true
}

/// `accounts:signInWithCustomToken` (REST 2.6).
struct CustomTokenSignInRequest: AuthRequest {
    static let path = "v1/accounts:signInWithCustomToken"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    var token: String
    var tenantId: String?
    var returnSecureToken = true
}

/// `accounts:signInWithIdp` (REST 2.4).
struct ProviderSignInRequest: AuthRequest {
    static let path = "v1/accounts:signInWithIdp"
    static let repetition = Repetition.ifNotReceived
    typealias Response = SignInResponse

    var requestUri = "http://localhost"
    var postBody: String?
    var pendingToken: String?
    var sessionId: String?
    var idToken: String?
    /// False for a reauthentication: an unknown user is not created.
    var autoCreate: Bool
    var tenantId: String?
    var returnIdpCredential = true
    var returnSecureToken = true

    init(
        provider: String, _ content: ProviderCredentialContent, idToken: String?, autoCreate: Bool, tenantId: String?
    ) {
        self.idToken = idToken
        self.autoCreate = autoCreate
        self.tenantId = tenantId
        switch content {
        case .tokens(let tokens): postBody = FormBody(provider: provider, tokens).text
        case .pendingToken(let token): pendingToken = token
        case .response(let url, let sessionID):
            requestUri = url
            sessionId = sessionID
        }
    }
}

/// The parameters of `postBody` as a form (`application/x-www-form-urlencoded`).
struct FormBody: Sendable {
    let text: String

    init(provider: String, _ tokens: ProviderTokens) {
        let user = tokens.fullName.flatMap(Self.appleUser)
        let parameters: [(String, String?)] = [
            ("providerId", provider), ("id_token", tokens.idToken), ("nonce", tokens.rawNonce),
            ("access_token", tokens.accessToken), ("oauth_token_secret", tokens.secret), ("user", user),
        ]
        text = Self.text(parameters)
    }

    /// Encodes parameters; nil ones are absent.
    static func text(_ parameters: [(name: String, value: String?)]) -> String {
        parameters.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }.joined(separator: "&")
    }

    /// `{"name":{"firstName":…,"lastName":…}}`, as Apple's page sends it.
    private static func appleUser(_ name: PersonNameComponents) -> String? {
        guard name.givenName != nil || name.familyName != nil else { return nil }
        var names: [String: String] = [:]
        names["firstName"] = name.givenName
        names["lastName"] = name.familyName
        // `try?`: two texts are always JSON.
        return (try? JSONEncoder().encode(["name": names])).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Everything but unreserved characters (RFC 3986 section 2.3) is encoded.
    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

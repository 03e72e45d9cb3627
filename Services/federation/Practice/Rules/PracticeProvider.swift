import Contracts
import FoundationEssentials
import JOSE
import JSON
import Vocabulary

/// The provider for every provider ID without configuration, in dev mode only. A developer chooses on its page who to
/// be, and the sign-in continues as with a real provider.
struct PracticeProvider: Sendable {
    let now: @Sendable () -> Moment
    /// Accepts ID tokens that tests write themselves, as the Firebase emulator does.
    let acceptsUnsignedTokens: Bool

    static let clientID = "practice"
    private static let issuer = "https://practice.invalid"
    private static let tokenSeconds: Int64 = 3600

    /// Whether a provider ID is one that a project could configure.
    static func replaces(_ providerID: String) -> Bool {
        Federation.SupportedProvider(rawValue: providerID) != nil
            || Federation.Provider.isOpenIDProviderID(providerID)
            || Federation.Provider.isID(providerID, prefix: "saml.")
    }

    /// - Parameter page: the page of the gateway.
    static func server(page: String?) -> AuthorizationServer {
        AuthorizationServer(authorizationURL: page, scopes: ["openid", "email", "profile"])
    }

    /// Verifies the response to a sign-in that was started here.
    /// - Throws: `invalidProviderResponse` without a code of the page.
    func verify(
        _ response: Federation.ProviderResponse, of browserSignIn: BrowserSignIn
    ) throws(ServiceError) -> VerifiedSignIn {
        guard let user = (response.code?.reveal()).flatMap(PracticeCode.user) else {
            throw ServiceError(.invalidProviderResponse, "The code is not of the practice provider.")
        }
        let issuedAt = now().timestamp
        var claims: [String: JSONValue] = [
            "iss": .string(Self.issuer), "aud": .string(Self.clientID), "sub": .string(user.subject),
            "iat": .integer(issuedAt.seconds), "exp": .integer((issuedAt + Self.tokenSeconds).seconds),
            "email_verified": .bool(user.isEmailVerified),
        ]
        claims["email"] = user.email.map(JSONValue.string)
        claims["name"] = user.displayName.map(JSONValue.string)
        claims[Self.userNameClaim] = user.userName.map(JSONValue.string)
        return try signIn(with: ProviderClaims(claims), of: browserSignIn.providerID, context: browserSignIn.context)
    }

    /// Accepts an ID token without verification. Without one the access token has the claims: Facebook, GitHub and Twitter
    /// give applications nothing else.
    /// - Throws: `providerNotFound` unless unsigned tokens are accepted, `invalidProviderResponse` for anything but the
    ///   text of a JSON object or an unsigned token with a subject.
    func verify(
        _ response: Federation.ProviderResponse, of providerID: String
    ) throws(ServiceError) -> VerifiedSignIn {
        let idToken = response.idToken?.reveal().nilIfEmpty
        // Tests write tokens for all providers of Google Identity Platform, not only for those of the catalogue.
        guard acceptsUnsignedTokens,
            Self.replaces(providerID) || Federation.SupportedProvider.unavailableIDs.contains(providerID),
            let token = idToken ?? response.accessToken?.reveal().nilIfEmpty
        else { throw ServiceError(.providerNotFound) }
        guard let claims = UnsignedToken.claims(of: token) else {
            throw ServiceError(
                .invalidProviderResponse, "The \(idToken == nil ? "access" : "ID") token is not an unsigned token.")
        }
        var verified = try signIn(with: claims, of: providerID)
        // As with the real provider, the application gets the tokens that it has presented; an ID token alone gets an access token beside it.
        if idToken == nil { verified.credential.idToken = nil }
        if let presented = response.accessToken { verified.credential.accessToken = presented }
        verified.credential.tokenSecret = response.tokenSecret
        return verified
    }

    private func signIn(
        with claims: ProviderClaims, of providerID: String, context: String? = nil
    ) throws(ServiceError) -> VerifiedSignIn {
        // `try?`: claims that were decoded can be encoded.
        guard let subject = claims.text("sub"), let json = try? WireJSON.encodeSorted(JSONValue.object(claims.members))
        else { throw ServiceError(.invalidProviderResponse, "The token has no valid subject.") }
        var profile = Self.profile(
            of: ProviderUser(
                providerID: providerID, subject: subject, claims: claims, json: String(decoding: json, as: UTF8.self)))
        profile.screenName = claims.name(Self.userNameClaim) ?? profile.screenName
        return VerifiedSignIn(
            profile: profile,
            credential: .init(
                idToken: Secret(UnsignedToken.text(ofClaims: Array(json))),
                accessToken: Self.accessToken(of: providerID)), context: context)
    }

    /// The `username` of the libraries, by the name that Firebase's emulator gives it.
    private static let userNameClaim = "screen_name"

    /// Libraries make credentials from access tokens. It is the text of Firebase's emulator, which applications know.
    private static func accessToken(of providerID: String) -> Secret<String> {
        Secret("FirebaseAuthEmulatorFakeAccessToken_\(providerID)")
    }

    /// The rules of the real providers, so that a developer sees what they do.
    private static func profile(of user: ProviderUser) -> Federation.ProviderProfile {
        if let supported = Federation.SupportedProvider(rawValue: user.providerID) {
            return supported.adapter.profile(of: user)
        }
        // Without a configuration there are no domains. The word of the developer counts, as in Firebase's emulator.
        let email = EmailAssertion(user.claims.email, isVerified: user.claims.flag("email_verified")) { _ in false }
        return .init(user, email: email, attributes: user.claims.attributes)
    }
}

/// The code of the practice provider: the user that the developer chose. It is not secret, because anyone may
/// sign in as any user.
enum PracticeCode {
    private static let prefix = "practice."
    private static let maximumBytes = 4096

    static func text(for user: Federation.PracticeUser) throws -> String {
        prefix + Base64URL.encode(Array(try WireJSON.encodeSorted(user)))
    }

    /// - Returns: nil for anything else.
    static func user(of code: String) -> Federation.PracticeUser? {
        guard code.utf8.count <= maximumBytes, code.hasPrefix(prefix),
            let json = Base64URL.decode(String(code.dropFirst(prefix.count)))
        else { return nil }
        // `try?`: the result is nil.
        return try? WireJSON.decode(Federation.PracticeUser.self, from: Data(json))
    }
}

/// An ID token without signature (RFC 7519 6).
enum UnsignedToken {
    private static let maximumBytes = 16 << 10

    /// - Parameter json: the claims as a JSON object.
    static func text(ofClaims json: [UInt8]) -> String {
        "\(Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))).\(Base64URL.encode(json))."
    }

    /// - Parameter text: the token, or the JSON text of its claims.
    /// - Returns: nil for anything else.
    static func claims(of text: String) -> ProviderClaims? {
        guard text.utf8.count <= maximumBytes else { return nil }
        if text.utf8.first == UInt8(ascii: "{") { return ProviderClaims(json: Data(text.utf8)) }
        // `try?`: the result is nil.
        guard let token = try? UnverifiedJWT(text), token.isUnsecured else { return nil }
        return ProviderClaims(json: token.claims)
    }
}

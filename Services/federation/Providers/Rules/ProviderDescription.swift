import Contracts
import Crypto

/// What a provider offers: from its adapter for a supported provider, from its discovery document for another one.
struct ProviderDescription: Equatable, Sendable {
    /// Nil: the provider issues no ID tokens.
    var idTokens: IDTokenSource?
    var authorization: AuthorizationServer
}

/// Who signs the ID tokens of a provider, and how they are verified.
struct IDTokenSource: Equatable, Sendable {
    enum Issuer: Equatable, Sendable {
        /// Compared character by character.
        case anyOf(Set<String>)
        /// The issuer contains the tenant of the token, the claim `tid`, between two texts.
        case ofTenant(before: String, behind: String)
    }

    /// Which tokens must contain a nonce. A nonce that is there is always compared.
    enum RequiredNonce: Equatable, Sendable {
        case always
        /// Those of sign-ins that were started here: the request had a nonce.
        case inStartedSignIns
        /// The provider ignores the nonce of a request. The state and the code of a sign-in work once.
        case never
    }

    var issuer: Issuer
    /// The URL of the JWK set.
    var keySetURL: String
    /// Fixed by the provider, never chosen by the token (security rule FE6).
    var algorithms: Set<SignatureAlgorithm>
    /// As `JWTVerifier.allowsOtherPresenters`.
    var allowsOtherPresenters = false
    var requiredNonce = RequiredNonce.inStartedSignIns
}

/// The endpoints of OAuth 2.0, and how they differ from the standard.
struct AuthorizationServer: Equatable, Sendable {
    enum ResponseType: String, Sendable {
        case code
        /// The implicit flow of OpenID Connect.
        case idToken = "id_token"
    }

    /// How the token endpoint authenticates the client.
    enum ClientAuthentication: Equatable, Sendable {
        case secretInForm
        /// HTTP basic authentication.
        case secretInHeader
        /// A JSON Web Token that is signed with the key of the configuration.
        case appleKey
    }

    /// Nil: the provider has none, and only its own libraries can start a sign-in.
    var authorizationURL: String?
    /// Nil: the provider has none, and only the implicit flow works.
    var tokenURL: String?
    var scopes: [String]
    var responseType = ResponseType.code
    /// `response_mode` of the request; nil for the standard one.
    var responseMode: String?
    var usesPKCE = true
    var clientAuthentication = ClientAuthentication.secretInForm
    /// Every response contains `iss` (RFC 9207).
    var sendsIssuer = false
}

extension ProviderDescription {
    /// Checks that an authorization response is of this provider, and not of another one that sends users to the same
    /// address (security rule FE9).
    /// - Parameter issuer: the parameter `iss`; nil without one.
    /// - Throws: `invalidProviderResponse`.
    func check(responseIssuer issuer: String?) throws(ServiceError) {
        guard let issuer else {
            if authorization.sendsIssuer { throw .responseOfOtherProvider }
            return
        }
        switch idTokens?.issuer {
        case .anyOf(let issuers): guard issuers.contains(issuer) else { throw .responseOfOtherProvider }
        // The tenant is not known before the token.
        case .ofTenant, nil: return
        }
    }
}

extension ServiceError {
    fileprivate static let responseOfOtherProvider = ServiceError(
        .invalidProviderResponse, "The response is not of the provider that the sign-in was started for.")
}

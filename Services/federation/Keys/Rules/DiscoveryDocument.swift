import Contracts
import Crypto
import FoundationEssentials
import JSON
import Vocabulary

/// The metadata of an OpenID provider (OpenID Connect Discovery 1.0, 3).
struct DiscoveryDocument: Equatable, Sendable {
    var issuer: String
    var keySetURL: String
    var authorizationURL: String?
    var tokenURL: String?
    var algorithms: Set<SignatureAlgorithm>
    var authenticatesClientInForm: Bool
    /// RFC 9207 3.
    var sendsIssuer: Bool

    /// Where the document of an issuer is.
    static func url(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// - Parameter isDev: allows plain HTTP.
    /// - Throws: `providerUnavailable` for a document that is malformed, or belongs to another issuer.
    init(json: Data, from url: String, isDev: Bool) throws(ServiceError) {
        struct Members: Decodable {
            var issuer: String
            var jwksUri: String
            var authorizationEndpoint: String?
            var tokenEndpoint: String?
            var idTokenSigningAlgValuesSupported: [String]?
            var tokenEndpointAuthMethodsSupported: [String]?
            var authorizationResponseIssParameterSupported: Bool?
        }
        // `try?`: the error below reports it.
        guard let members = try? WireJSON.decode(Members.self, from: json, names: .camelOrSnakeCase) else {
            throw .invalidDiscovery("is malformed")
        }
        // Discovery 4.3: otherwise a provider could issue tokens in the name of another one.
        guard Self.url(of: members.issuer) == url else { throw .invalidDiscovery("names another issuer") }
        let urls = [members.jwksUri, members.authorizationEndpoint, members.tokenEndpoint].compactMap(\.self)
        guard urls.allSatisfy({ WebURL($0).map { $0.isSecure || isDev } ?? false }) else {
            throw .invalidDiscovery("contains a URL that is not https")
        }
        issuer = members.issuer
        keySetURL = members.jwksUri
        authorizationURL = members.authorizationEndpoint
        tokenURL = members.tokenEndpoint
        algorithms = Set(
            (members.idTokenSigningAlgValuesSupported ?? ["RS256"]).compactMap(SignatureAlgorithm.init))
        // Discovery 3: `client_secret_basic` if the member is absent.
        let methods = members.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
        authenticatesClientInForm = !methods.contains("client_secret_basic")
        sendsIssuer = members.authorizationResponseIssParameterSupported ?? false
    }
}

extension ServiceError {
    fileprivate static func invalidDiscovery(_ problem: String) -> ServiceError {
        ServiceError(.providerUnavailable, "The discovery document of the provider \(problem).")
    }
}

extension DiscoveryDocument {
    func description(of provider: Federation.Provider.OpenID) -> ProviderDescription {
        ProviderDescription(
            idTokens: IDTokenSource(issuer: .anyOf([issuer]), keySetURL: keySetURL, algorithms: algorithms),
            authorization: AuthorizationServer(
                authorizationURL: authorizationURL, tokenURL: tokenURL, scopes: ["openid", "email", "profile"],
                responseType: provider.usesCodeFlow ? .code : .idToken,
                clientAuthentication: authenticatesClientInForm ? .secretInForm : .secretInHeader,
                sendsIssuer: sendsIssuer))
    }
}

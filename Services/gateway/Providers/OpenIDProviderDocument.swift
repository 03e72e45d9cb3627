import ConfigurationDocuments
import Contracts
import Vocabulary

/// A generic OpenID provider (REST 5.3, `oauthIdpConfigs`).
struct OpenIDProviderDocument: ProviderDocument {
    var displayName: String?
    var enabled: Bool?
    var clientId: String?
    var clientSecret: Secret<String>?
    var issuer: String?
    var responseType: ResponseType?
    /// A Latchkey extension: the e-mail domains for which the provider is authoritative.
    var authoritativeDomains: [String]?

    /// What the provider's page returns.
    struct ResponseType: Codable {
        var code: Bool?
        var idToken: Bool?
        var token: Bool?
    }

    static let collection = "oauthIdpConfigs"
    static let idParameter = "oauthIdpConfigId"
    static let list = Federation.ProviderList.oidc
    static let schema = DocumentSchema.message([
        "name": .output, "displayName": .string, "enabled": .boolean, "clientId": .string, "clientSecret": .string,
        "issuer": .string,
        "responseType": .message(["code": .boolean, "idToken": .boolean, "token": .boolean]),
        "authoritativeDomains": .list(.string),
    ])

    static func contains(_ id: String) -> Bool { id.utf8.starts(with: "oidc.".utf8) && id.utf8.count > 5 }

    static func error(forID id: String) -> APIError { APIError(.invalidProviderConfigurationID) }

    init?(_ provider: Federation.Provider) {
        switch provider.kind {
        case .supported, .saml: return nil
        case .oidc(let openID):
            displayName = openID.displayName
            issuer = openID.issuer
            // The implicit flow is the one of an absent value, so that a change can select the other one.
            responseType = openID.usesCodeFlow ? .init(code: true) : nil
            authoritativeDomains = openID.authoritativeDomains.nilIfEmpty
        }
        enabled = provider.isEnabled
        clientId = provider.clientID
        clientSecret = provider.clientSecret
    }

    var response: Self {
        var response = self
        if responseType == nil { response.responseType = .init(idToken: true) }
        return response
    }

    mutating func redact() {
        clientSecret = clientSecret.map { _ in .redacted }
    }

    func provider(id: String) throws -> Federation.Provider {
        guard let clientID = clientId.nilIfEmpty else { throw APIError(.missingOAuthClientID) }
        guard let issuer = issuer.nilIfEmpty else { throw APIError(.missingIssuer) }
        let usesCodeFlow = try usesCodeFlow()
        let secret = (clientSecret?.reveal()).secret
        guard secret != nil || !usesCodeFlow else { throw APIError(.missingOAuthClientSecret) }
        return Federation.Provider(
            id: id, isEnabled: enabled ?? false, clientID: clientID, clientSecret: secret,
            kind: .oidc(
                .init(
                    displayName: displayName.nilIfEmpty, issuer: issuer, usesCodeFlow: usesCodeFlow,
                    authoritativeDomains: authoritativeDomains ?? [])))
    }

    private func usesCodeFlow() throws -> Bool {
        if responseType?.token == true { throw Self.invalid("responseType.token is not supported") }
        switch (responseType?.code ?? false, responseType?.idToken) {
        case (true, true?): throw Self.invalid("responseType has more than one type")
        case (true, _): return true
        case (false, false?): throw Self.invalid("responseType has no type")
        case (false, _): return false
        }
    }

    private static func invalid(_ reason: String) -> ServiceError {
        ServiceError(.invalidProviderConfiguration, reason)
    }
}

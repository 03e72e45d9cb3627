import ConfigurationDocuments
import Contracts
import ServiceRuntime
import Vocabulary

/// A SAML 2.0 provider (REST 5.3, `inboundSamlConfigs`).
struct SAMLProviderDocument: ProviderDocument {
    var displayName: String?
    var enabled: Bool?
    var idpConfig: IdentityProvider?
    var spConfig: ServiceProvider?
    /// A Latchkey extension: the e-mail domains for which the provider is authoritative.
    var authoritativeDomains: [String]?

    struct IdentityProvider: Codable {
        var idpEntityId: String?
        var ssoUrl: String?
        var signRequest: Bool?
        var idpCertificates: [Certificate]?
    }

    struct ServiceProvider: Codable {
        var spEntityId: String?
        var callbackUri: String?
        /// The certificates of the key that signs requests, which federation creates.
        var spCertificates: [Certificate]?
    }

    struct Certificate: Codable {
        /// PEM. Of an identity provider also the Base64 of the DER form.
        var x509Certificate: String?
        /// RFC 3339; of this service only.
        var expiresAt: String?
    }

    static let collection = "inboundSamlConfigs"
    static let idParameter = "inboundSamlConfigId"
    static let list = Federation.ProviderList.saml
    static let schema = DocumentSchema.message([
        "name": .output, "displayName": .string, "enabled": .boolean,
        "idpConfig": .message([
            "idpEntityId": .string, "ssoUrl": .string, "signRequest": .boolean,
            "idpCertificates": .list(.message(["x509Certificate": .string, "expiresAt": .output])),
        ]),
        "spConfig": .message(["spEntityId": .string, "callbackUri": .string, "spCertificates": .output]),
        "authoritativeDomains": .list(.string),
    ])

    static func contains(_ id: String) -> Bool { id.utf8.starts(with: "saml.".utf8) && id.utf8.count > 5 }

    static func error(forID id: String) -> APIError { APIError(.invalidProviderConfigurationID) }

    init?(_ provider: Federation.Provider) {
        switch provider.kind {
        case .supported, .oidc: return nil
        case .saml(let saml):
            displayName = saml.displayName
            idpConfig = .init(
                idpEntityId: saml.entityID, ssoUrl: saml.signOnURL, signRequest: saml.signsRequests,
                idpCertificates: saml.certificates.map { .init(x509Certificate: $0) })
            spConfig = .init(
                spEntityId: saml.serviceProviderEntityID, callbackUri: saml.callbackURL,
                spCertificates: saml.signingCertificates.map {
                    .init(x509Certificate: $0.certificate, expiresAt: Moment($0.expiresAt).text)
                }.nilIfEmpty)
            authoritativeDomains = saml.authoritativeDomains.nilIfEmpty
        }
        enabled = provider.isEnabled
    }

    /// Its certificates are public.
    mutating func redact() {}

    func provider(id: String) throws -> Federation.Provider {
        guard let entityID = spConfig?.spEntityId.nilIfEmpty, let callbackURL = spConfig?.callbackUri.nilIfEmpty else {
            throw APIError(.missingSAMLRelyingParty)
        }
        // Federation names what is missing of the identity provider.
        return Federation.Provider(
            id: id, isEnabled: enabled ?? false, clientID: "",
            kind: .saml(
                .init(
                    displayName: displayName.nilIfEmpty, entityID: idpConfig?.idpEntityId ?? "",
                    signOnURL: idpConfig?.ssoUrl ?? "", signsRequests: idpConfig?.signRequest ?? false,
                    certificates: idpConfig?.idpCertificates?.map { $0.x509Certificate ?? "" } ?? [],
                    serviceProviderEntityID: entityID, callbackURL: callbackURL,
                    authoritativeDomains: authoritativeDomains ?? [])))
    }
}

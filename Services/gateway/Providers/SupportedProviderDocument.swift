import ConfigurationDocuments
import Contracts
import Vocabulary

/// A provider of the catalogue (REST 5.3, `defaultSupportedIdpConfigs`).
struct SupportedProviderDocument: ProviderDocument {
    var enabled: Bool?
    var clientId: String?
    var clientSecret: Secret<String>?
    var appleSignInConfig: Apple?

    struct Apple: Codable {
        var bundleIds: [String]?
        var codeFlowConfig: CodeFlow?
    }

    struct CodeFlow: Codable {
        var teamId: String?
        var keyId: String?
        var privateKey: Secret<String>?
    }

    static let collection = "defaultSupportedIdpConfigs"
    static let idParameter = "idpId"
    static let list = Federation.ProviderList.supported
    static let schema = DocumentSchema.message([
        "name": .output, "enabled": .boolean, "clientId": .string, "clientSecret": .string,
        "appleSignInConfig": .message([
            "bundleIds": .list(.string),
            "codeFlowConfig": .message(["teamId": .string, "keyId": .string, "privateKey": .string]),
        ]),
    ])

    static func contains(_ id: String) -> Bool { Federation.SupportedProvider(rawValue: id) != nil }

    /// Google Identity Platform has providers that federation does not serve.
    static func error(forID id: String) -> APIError {
        ProviderCatalogue.isKnown(id) ? .notImplemented("the provider \(id)") : APIError(.invalidProviderID)
    }

    init?(_ provider: Federation.Provider) {
        switch provider.kind {
        case .oidc, .saml: return nil
        case .supported(let apple): appleSignInConfig = apple.map(Apple.init)
        }
        enabled = provider.isEnabled
        clientId = provider.clientID
        clientSecret = provider.clientSecret
    }

    mutating func redact() {
        clientSecret = clientSecret.map { _ in .redacted }
        let key = appleSignInConfig?.codeFlowConfig?.privateKey
        appleSignInConfig?.codeFlowConfig?.privateKey = key.map { _ in .redacted }
    }

    func provider(id: String) throws -> Federation.Provider {
        guard let clientID = clientId.nilIfEmpty else { throw APIError(.missingOAuthClientID) }
        let secret = (clientSecret?.reveal()).secret
        if secret == nil, Federation.SupportedProvider(rawValue: id)?.facts.requiresClientSecret == true {
            throw APIError(.missingOAuthClientSecret)
        }
        return Federation.Provider(
            id: id, isEnabled: enabled ?? false, clientID: clientID, clientSecret: secret,
            kind: .supported(appleSignInConfig?.configuration))
    }
}

extension SupportedProviderDocument.Apple {
    init(_ apple: Federation.Provider.Apple) {
        bundleIds = apple.bundleIDs.nilIfEmpty
        guard apple.teamID != nil || apple.keyID != nil || apple.privateKey != nil else { return }
        codeFlowConfig = .init(teamId: apple.teamID, keyId: apple.keyID, privateKey: apple.privateKey)
    }

    /// Nil without any value.
    var configuration: Federation.Provider.Apple? {
        let apple = Federation.Provider.Apple(
            bundleIDs: bundleIds ?? [], teamID: codeFlowConfig?.teamId.nilIfEmpty,
            keyID: codeFlowConfig?.keyId.nilIfEmpty, privateKey: (codeFlowConfig?.privateKey?.reveal()).secret)
        return apple == .init() ? nil : apple
    }
}

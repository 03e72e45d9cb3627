import Contracts
import JSON
import Pages

/// The form of an identity provider: the fields of its document, by the collection that it is in.
struct ProviderForm: Sendable {
    let id: String
    let list: Federation.ProviderList
    /// As REST has it; empty for a new provider.
    let document: JSONValue
    let isNew: Bool
    /// The texts by the ids of the fields.
    private(set) var texts: [String: String] = [:]

    /// - Parameter document: nil for a new provider.
    init(_ id: String, in list: Federation.ProviderList, _ document: JSONValue?, callback: String) {
        self.id = id
        self.list = list
        self.document = document ?? .object([:])
        isNew = document == nil
        for field in fields { texts[field.id] = field.text(in: self.document, of: .project) }
        if isNew { texts["callback"] = callback }
    }

    /// What a form has. Other fields have no effect, and one that is missing keeps its value.
    mutating func fill(_ form: [String: String]) {
        for field in fields { texts[field.id] = form[field.id].map(field.normalized) ?? texts[field.id] }
    }

    func text(of field: SettingField) -> String { texts[field.id] ?? SettingField.unset }

    /// Whether the document has the value of a field, which may be a secret.
    func isSet(_ field: SettingField) -> Bool { field.path(of: .project)?.value(in: document) != nil }

    /// The document with the fields of the form, and the paths that differ.
    /// - Throws: `InvalidSettingText`.
    func change(_ schema: DocumentSchema) throws(InvalidSettingText) -> (document: JSONValue, masks: [String]) {
        var changed = document
        var masks: [String] = []
        for field in fields where text(of: field) != field.text(in: document, of: .project) {
            changed = try field.applying(text(of: field), to: changed, of: .project)
            if let mask = field.path(of: .project)?.mask(in: schema, of: changed) { masks.append(mask) }
        }
        return (changed, masks)
    }

    // MARK: Fields

    var fields: [SettingField] {
        switch list {
        case .supported:
            Self.common + Self.client + (id == Federation.SupportedProvider.apple.rawValue ? Self.apple : [])
        case .oidc: Self.common + [Self.name] + Self.client + Self.openID + [Self.domains]
        case .saml: Self.common + [Self.name] + Self.saml + [Self.domains]
        }
    }

    private static let common: [SettingField] = [
        .init(
            "enabled", .choice([(.on, .bool(true)), (.off, .bool(false))]), project: "enabled", standard: .word(.off),
            \.providerState)
    ]
    private static let name = SettingField("displayName", .text, project: "displayName", \.providerName)
    private static let domains = SettingField(
        "domains", .lines, project: "authoritativeDomains", \.authoritativeDomains)
    private static let client: [SettingField] = [
        .init("clientID", .text, project: "clientId", \.clientID),
        .init("clientSecret", .secret(isLong: false), project: "clientSecret", \.clientSecret),
    ]
    private static let apple: [SettingField] = [
        .init("bundles", .lines, project: "appleSignInConfig.bundleIds", \.appleBundles),
        .init("team", .text, project: "appleSignInConfig.codeFlowConfig.teamId", \.appleTeam),
        .init("key", .text, project: "appleSignInConfig.codeFlowConfig.keyId", \.appleKey),
        .init(
            "privateKey", .secret(isLong: true), project: "appleSignInConfig.codeFlowConfig.privateKey",
            \.applePrivateKey),
    ]
    private static let openID: [SettingField] = [
        .init("issuer", .text, project: "issuer", \.issuer),
        .init(
            "usesCode", .choice([(.on, .bool(true))]), project: "responseType.code", standard: .word(.off), \.usesCode),
    ]
    private static let saml: [SettingField] = [
        .init("entityID", .text, project: "idpConfig.idpEntityId", \.entityID),
        .init("signOnPage", .text, project: "idpConfig.ssoUrl", \.signOnPage),
        .init("certificate", .longText, project: "idpConfig.idpCertificates[0].x509Certificate", \.certificate),
        .init(
            "signsRequests", .choice([(.on, .bool(true)), (.off, .bool(false))]), project: "idpConfig.signRequest",
            standard: .word(.off), \.signsRequests),
        .init("ownEntityID", .text, project: "spConfig.spEntityId", \.ownEntityID),
        .init("callback", .text, project: "spConfig.callbackUri", \.callback),
    ]
}

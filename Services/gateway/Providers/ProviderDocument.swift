import ConfigurationDocuments
import Contracts
import JSON
import Vocabulary

/// The document of an identity provider that administrators read and change (REST 5.3). Each collection of such
/// documents is a conforming type; `IdentityToolkit.providerConfigurations` lists them.
protocol ProviderDocument: Codable, Sendable {
    /// The name of the collection in paths and lists.
    static var collection: String { get }
    /// The query parameter that names a new provider.
    static var idParameter: String { get }
    static var list: Federation.ProviderList { get }
    static var schema: DocumentSchema { get }

    /// Whether a provider of this ID can be in the collection.
    static func contains(_ id: String) -> Bool
    /// The error of an ID that cannot be in the collection.
    static func error(forID id: String) -> APIError

    /// The set values. Nil for a provider of another collection.
    init?(_ provider: Federation.Provider)

    /// What administrators read.
    var response: Self { get }

    /// Replaces each secret, for administrators who may only read.
    mutating func redact()

    /// The provider with the values of this document.
    /// - Throws: the `APIError` of a missing value or of a value that is not supported. Federation checks all others.
    func provider(id: String) throws -> Federation.Provider
}

extension ProviderDocument {
    var response: Self { self }

    /// The response document: the values and the name of the resource.
    /// - Parameter hasSecrets: false for a caller who may not read them.
    static func document(
        of provider: Federation.Provider, in realm: Realm, projectNumber: String, hasSecrets: Bool
    ) throws -> JSONValue {
        guard var document = Self(provider) else { throw ServiceError(.internal) }
        if !hasSecrets { document.redact() }
        var members = try ConfigurationDocument.jsonValue(of: document.response).members ?? [:]
        let tenant = realm.tenant.map { "/tenants/\($0)" } ?? ""
        members["name"] = .string("projects/\(projectNumber)\(tenant)/\(collection)/\(provider.id)")
        return .object(members)
    }

    /// A new provider.
    /// - Throws: the `APIError` of a missing value.
    static func provider(id: String, from body: JSONValue) throws -> Federation.Provider {
        try applying(FieldMask(""), of: body, to: .object([:]), id: id)
    }

    /// The provider after a change.
    /// - Throws: `DocumentError` for a mask with an unknown path, and `APIError` for a value that is missing afterwards.
    static func applying(
        _ mask: FieldMask, of body: JSONValue, to provider: Federation.Provider
    ) throws -> Federation.Provider {
        guard let document = Self(provider) else { throw APIError(.providerConfigurationNotFound) }
        return try applying(mask, of: body, to: ConfigurationDocument.jsonValue(of: document), id: provider.id)
    }

    private static func applying(
        _ mask: FieldMask, of body: JSONValue, to current: JSONValue, id: String
    ) throws -> Federation.Provider {
        let changed = try schema.applying(mask, of: body, to: current)
        return try WireJSON.decode(Self.self, from: WireJSON.encode(changed)).provider(id: id)
    }
}

extension Secret<String> {
    /// In place of a value: says that there is one, and nothing about it.
    static let redacted = Secret("REDACTED")
}

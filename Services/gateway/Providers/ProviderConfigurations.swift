import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import Vocabulary

extension IdentityToolkit {
    /// The configuration of identity providers (REST 5.3). Federation stores it.
    static let providerConfigurations: [Route] =
        [ProviderCatalogue.route] + routes(of: SupportedProviderDocument.self) + routes(of: OpenIDProviderDocument.self)
        + routes(of: SAMLProviderDocument.self)

    private static func routes<Document: ProviderDocument>(of type: Document.Type) -> [Route] {
        let collection: [RoutePath] = .v2Realm("/\(type.collection)")
        let resource: [RoutePath] = .v2Realm("/\(type.collection)/{provider}")
        return [
            Route(.get, collection, .v2, .administrator) { call in try await list(type, call) },
            Route(.post, collection, .v2, .administrator) { call in try await create(type, call) },
            Route(.get, resource, .v2, .administrator) { call in
                let realm = try call.realm()
                let reply = try await call.send(Federation.ReadProvider(realm: realm, id: id(in: type, call)))
                return try response(type, reply, in: realm, call)
            },
            Route(.patch, resource, .v2, .administrator) { call in try await change(type, call) },
            Route(.delete, resource, .v2, .administrator) { call in
                let realm = try call.realm()
                _ = try await call.send(
                    Federation.DeleteProvider(realm: realm, id: id(in: type, call), client: call.client))
                return .json(EmptyResponse())
            },
        ]
    }

    private static func create<Document: ProviderDocument>(
        _ type: Document.Type, _ call: Call
    ) async throws -> HTTPResponse {
        let realm = try call.realm()
        guard let id = call.request.queryItem(type.idParameter).nilIfEmpty else {
            throw APIError(.missingProviderConfigurationID)
        }
        guard type.contains(id) else { throw type.error(forID: id) }
        let body = try type.schema.read(call.body(JSONValue.self), root: "config")
        guard body.members?.isEmpty == false else { throw APIError(.missingProviderConfiguration) }
        let reply = try await call.send(
            Federation.CreateProvider(
                realm: realm, provider: type.provider(id: id, from: body), client: call.client),
            timeout: providerTimeout)
        return try response(type, reply, in: realm, call)
    }

    private static func change<Document: ProviderDocument>(
        _ type: Document.Type, _ call: Call
    ) async throws -> HTTPResponse {
        let realm = try call.realm()
        let id = try id(in: type, call)
        let body = try type.schema.read(call.body(JSONValue.self), root: "config")
        let mask = try FieldMask(of: call.request)
        let changed = try await retryingOnConflict {
            let current = try await call.send(Federation.ReadProvider(realm: realm, id: id))
            return try await call.send(
                Federation.ReplaceProvider(
                    realm: realm, provider: type.applying(mask, of: body, to: current.provider),
                    expectedRevision: current.revision, client: call.client), timeout: providerTimeout)
        }
        return try response(type, changed, in: realm, call)
    }

    private static func list<Document: ProviderDocument>(
        _ type: Document.Type, _ call: Call
    ) async throws -> HTTPResponse {
        let realm = try call.realm()
        let page = try PageSelection(of: call.request, maximumSize: Federation.ListProviders.maximumPageSize)
        let reply = try await call.send(
            Federation.ListProviders(realm: realm, list: type.list, pageSize: page.size, after: page.after))
        var members: [String: JSONValue] = [:]
        let documents = try reply.providers.map {
            try type.document(
                of: $0, in: realm, projectNumber: reply.projectNumber, hasSecrets: call.readsSecrets)
        }
        // Absent when the list is empty.
        members[type.collection] = documents.nilIfEmpty.map(JSONValue.array)
        members["nextPageToken"] = page.nextPageToken(
            after: reply.providers.last?.id, count: reply.providers.count, hasMore: reply.hasMore
        ).map(JSONValue.string)
        return .json(JSONValue.object(members))
    }

    /// The provider of the path.
    /// - Throws: `CONFIGURATION_NOT_FOUND` for one that is of another collection.
    private static func id<Document: ProviderDocument>(in type: Document.Type, _ call: Call) throws -> String {
        guard let id = call.values[.provider], type.contains(id) else {
            throw APIError(.providerConfigurationNotFound)
        }
        return id
    }

    private static func response<Document: ProviderDocument>(
        _ type: Document.Type, _ reply: Federation.ProviderReply, in realm: Realm, _ call: Call
    ) throws -> HTTPResponse {
        var response = HTTPResponse.json(
            try type.document(
                of: reply.provider, in: realm, projectNumber: reply.projectNumber, hasSecrets: call.readsSecrets))
        // The issuer is an ASCII URL; nothing else of the configuration is part of it.
        if let warning = reply.warning, warning.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) {
            response.headers.append((warningHeader, warning))
        }
        return response
    }

    /// A Latchkey extension: the configuration is stored, and does not work yet.
    private static let warningHeader = "X-Latchkey-Warning"
}

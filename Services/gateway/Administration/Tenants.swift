import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import Vocabulary

extension IdentityToolkit {
    /// Isolated sets of accounts inside a project (REST 5.2).
    static let tenants: [Route] = [
        Route(.post, .v2Project("/tenants"), .v2, .administrator) { call in
            let project = try call.project()
            let body = try call.body(JSONValue.self)
            try refuseUnknownTenantType(body)
            let document = try TenantDocument.schema.read(body, root: "tenant")
            let configuration = try TenantDocument.applying(FieldMask(""), of: document, to: .init())
            let tenant = try await call.send(
                Identity.CreateTenant(project: project, configuration: configuration, client: call.client))
            return .json(try resource(tenant, of: project, call))
        },
        Route(.get, .v2Project("/tenants"), .v2, .administrator) { call in try await list(call) },
        Route(.get, tenant, .v2, .administrator) { call in
            let (project, id) = try named(call)
            let tenant = try await call.send(Identity.ReadTenant(project: project, tenant: id))
            return .json(try resource(tenant, of: project, call))
        },
        Route(.patch, tenant, .v2, .administrator) { call in
            let (project, id) = try named(call)
            let body = try call.body(JSONValue.self)
            try refuseUnknownTenantType(body)
            let document = try TenantDocument.schema.read(body, root: "tenant")
            let mask = try FieldMask(of: call.request)
            let changed = try await retryingOnConflict {
                let current = try await call.send(Identity.ReadTenant(project: project, tenant: id))
                return try await call.send(
                    Identity.ReplaceTenant(
                        project: project, tenant: id,
                        configuration: TenantDocument.applying(mask, of: document, to: current.configuration),
                        expectedRevision: current.revision, client: call.client))
            }
            return .json(try resource(changed, of: project, call))
        },
        Route(.delete, tenant, .v2, .administrator) { call in
            let (project, id) = try named(call)
            _ = try await call.send(Identity.DeleteTenant(project: project, tenant: id, client: call.client))
            return .json(EmptyResponse())
        },
        policy("getIamPolicy"), policy("setIamPolicy"), policy("testIamPermissions"),
    ]

    /// Older libraries send a type. There is one kind of tenant; its former names are accepted.
    package static func refuseUnknownTenantType(_ body: JSONValue) throws(APIError) {
        switch body["type"] {
        case nil, .null?, .string("TYPE_UNSPECIFIED")?, .string("LIGHTWEIGHT")?, .string("FULL_SERVICE")?: return
        case .string?, .bool?, .integer?, .number?, .array?, .object?: throw APIError(.invalidTenantType)
        }
    }

    private static let tenant: [RoutePath] = .v2Project("/tenants/{tenant}")

    private static func policy(_ verb: String) -> Route {
        .notImplemented(
            "access policies of tenants", .post, .v2Project("/tenants/{tenant}:\(verb)"), .v2, .administrator)
    }

    /// The tenant of the path.
    private static func named(_ call: Call) throws -> (ProjectID, TenantID) {
        let realm = try call.realm()
        guard let tenant = realm.tenant else { throw ServiceError(.tenantNotFound) }
        return (realm.project, tenant)
    }

    /// In dev mode with the field `tenantId` of the Firebase emulator.
    private static func resource(
        _ tenant: Identity.Tenant, of project: ProjectID, _ call: Call
    ) throws -> JSONValue {
        try TenantDocument.document(tenant, of: project, includesID: call.settings.isDev)
    }

    private static func list(_ call: Call) async throws -> HTTPResponse {
        let project = try call.project()
        let page = try PageSelection(of: call.request, maximumSize: Identity.ListTenants.maximumCount)
        let reply = try await call.send(
            Identity.ListTenants(
                project: project, after: page.after.map { TenantID($0) }, limit: page.size))
        return .json(
            TenantList(
                tenants: try reply.tenants.map { try resource($0, of: project, call) }.nilIfEmpty,
                nextPageToken: page.nextPageToken(
                    after: reply.tenants.last?.id.rawValue, count: reply.tenants.count, hasMore: reply.hasMore)))
    }
}

private struct TenantList: Encodable {
    /// Absent when the list is empty.
    var tenants: [JSONValue]?
    var nextPageToken: String?
}

import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import Vocabulary

extension IdentityToolkit {
    /// The relying party as Google's libraries read and change it (REST 5.4): `passkeyConfig` of the project or tenant under
    /// other names.
    static let passkeyConfiguration: [Route] = [
        Route(.get, .v2Realm("/passkeyConfig"), .v2, .administrator) { call in
            let realm = try call.realm()
            let passkeys: ProjectConfiguration.Passkeys?
            if let tenant = realm.tenant {
                passkeys = try await call.send(Identity.ReadTenant(project: realm.project, tenant: tenant))
                    .configuration.passkeyConfig
            } else {
                passkeys = try await call.send(Identity.ReadConfiguration(project: realm.project))
                    .configuration.passkeyConfig
            }
            return response(passkeys, in: realm)
        },
        Route(.patch, .v2Realm("/passkeyConfig"), .v2, .administrator) { call in
            let realm = try call.realm()
            let body = try PasskeyDocument.schema.read(call.body(JSONValue.self), root: "passkey_config")
            let mask = try FieldMask(of: call.request)
            let changed = try await retryingOnConflict {
                guard let tenant = realm.tenant else { return try await change(mask, body, realm.project, call) }
                return try await change(mask, body, realm.project, tenant, call)
            }
            return response(changed, in: realm)
        },
    ]

    private static func change(
        _ mask: FieldMask, _ body: JSONValue, _ project: ProjectID, _ call: Call
    ) async throws -> ProjectConfiguration.Passkeys? {
        let current = try await call.send(Identity.ReadConfiguration(project: project))
        var configuration = current.configuration
        configuration.passkeyConfig = try PasskeyDocument.applying(mask, of: body, to: configuration.passkeyConfig)
        return try await call.send(
            Identity.ReplaceConfiguration(
                project: project, configuration: configuration, expectedRevision: current.revision,
                client: call.client)
        ).configuration.passkeyConfig
    }

    private static func change(
        _ mask: FieldMask, _ body: JSONValue, _ project: ProjectID, _ tenant: TenantID, _ call: Call
    ) async throws -> ProjectConfiguration.Passkeys? {
        let current = try await call.send(Identity.ReadTenant(project: project, tenant: tenant))
        var configuration = current.configuration
        configuration.passkeyConfig = try PasskeyDocument.applying(mask, of: body, to: configuration.passkeyConfig)
        return try await call.send(
            Identity.ReplaceTenant(
                project: project, tenant: tenant, configuration: configuration, expectedRevision: current.revision,
                client: call.client)
        ).configuration.passkeyConfig
    }

    private static func response(_ passkeys: ProjectConfiguration.Passkeys?, in realm: Realm) -> HTTPResponse {
        let tenant = realm.tenant.map { "/tenants/\($0)" } ?? ""
        return .json(PasskeyDocument.document(passkeys, name: "projects/\(realm.project)\(tenant)/passkeyConfig"))
    }
}

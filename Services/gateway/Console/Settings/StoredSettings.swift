import ConfigurationDocuments
import Contracts
import JSON
import Vocabulary

/// The settings of a project or tenant as they are stored, and how they are changed: with the same requests as by the REST
/// protocol.
struct StoredSettings: Sendable {
    private enum Configuration: Sendable {
        case project(ProjectConfiguration)
        case tenant(TenantConfiguration)
    }

    let realm: Realm
    private let configuration: Configuration
    let revision: Int64
    let document: JSONValue

    var owner: SettingsOwner {
        switch configuration {
        case .project: .project
        case .tenant: .tenant
        }
    }

    /// Whether the project has tenants.
    var hasTenants: Bool {
        switch configuration {
        case .project(let configuration): configuration.multiTenant?.allowTenants ?? false
        case .tenant: false
        }
    }

    /// - Throws: `projectNotFound`, `tenantNotFound`.
    init(of realm: Realm, _ call: Call) async throws {
        self.realm = realm
        if let tenant = realm.tenant {
            let reply = try await call.send(Identity.ReadTenant(project: realm.project, tenant: tenant))
            configuration = .tenant(reply.configuration)
            revision = reply.revision
            document = try ConfigurationDocument.jsonValue(of: reply.configuration)
        } else {
            let reply = try await call.send(Identity.ReadConfiguration(project: realm.project))
            configuration = .project(reply.configuration)
            revision = reply.revision
            document = try ConfigurationDocument.jsonValue(of: reply.configuration)
        }
    }

    /// Stores the values at the paths of the mask.
    /// - Throws: `DocumentError`, or what `ReplaceConfiguration` and `ReplaceTenant` throw.
    func replace(_ masks: [String], of changed: JSONValue, _ call: Call, client: ClientContext) async throws {
        let mask = try FieldMask(masks.joined(separator: ","))
        guard !mask.paths.isEmpty else { return }
        let body = try owner.schema.read(changed, root: "config")
        switch configuration {
        case .project(let stored):
            _ = try await call.send(
                Identity.ReplaceConfiguration(
                    project: realm.project, configuration: ConfigurationDocument.applying(mask, of: body, to: stored),
                    expectedRevision: revision, client: client))
        case .tenant(let stored):
            guard let tenant = realm.tenant else { throw ServiceError(.tenantNotFound) }
            _ = try await call.send(
                Identity.ReplaceTenant(
                    project: realm.project, tenant: tenant,
                    configuration: TenantDocument.applying(mask, of: body, to: stored), expectedRevision: revision,
                    client: client))
        }
    }
}

import Bus
import Contracts
import ServiceRuntime
import Vocabulary

/// Creates, reads, replaces, deletes and lists tenants.
struct TenantHandler: IdentityComponent {
    let context: IdentityContext

    /// Attempts to draw an unused ID. With one tenant of the same name, one in sixty million collides.
    private static let maximumDraws = 5

    func create(_ request: Identity.CreateTenant, _ call: BusCall) async throws -> Identity.Tenant {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        guard project.configuration.multiTenant?.allowTenants ?? false else {
            throw ServiceError(.operationNotAllowed, "multiTenant.allowTenants is not true in the configuration.")
        }
        let configuration = try request.configuration.checked(after: nil, at: now().text, isDev: isDev)
        try configuration.refuseIneffectiveSettings(after: nil)
        for draw in 1... {
            let id = configuration.newID(random: randomBytes)
            do {
                return try await store.createTenant(
                    Identity.Tenant(id: id, configuration: configuration, revision: 1), of: request.project,
                    at: now(),
                    audit: tenantEntry(.tenantCreated, id, request.project, request.client, call),
                    idempotency: store.idempotentCall(for: call, at: now()))
            } catch is TenantIDTakenError where draw < Self.maximumDraws {
                continue
            }
        }
        preconditionFailure("the last draw throws")
    }

    func read(_ request: Identity.ReadTenant, _ call: BusCall) async throws -> Identity.Tenant {
        _ = try await projects.project(request.project, traceID: call.trace.traceID)
        return try await existingTenant(request.tenant, of: request.project)
    }

    func replace(_ request: Identity.ReplaceTenant, _ call: BusCall) async throws -> Identity.Tenant {
        let current = try await existingTenant(request.tenant, of: request.project)
        let configuration = try request.configuration.checked(
            after: current.configuration, at: now().text, isDev: isDev)
        try configuration.refuseIneffectiveSettings(after: current.configuration)
        let tenant = try await store.replaceTenant(
            request.tenant, of: request.project, configuration, expectedRevision: request.expectedRevision,
            audit: tenantEntry(.tenantChanged, request.tenant, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now()))
        await publishConfigurationChanged(of: Realm(project: request.project, tenant: request.tenant))
        return tenant
    }

    func delete(_ request: Identity.DeleteTenant, _ call: BusCall) async throws -> EmptyReply {
        try await store.deleteTenant(
            request.tenant, of: request.project, at: now(),
            audit: tenantEntry(.tenantDeleted, request.tenant, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now()))
        await publishConfigurationChanged(of: Realm(project: request.project, tenant: request.tenant))
        // Its accounts are unknown from now on. One batch is enough for most tenants; maintenance deletes the rest.
        _ = try await store.deleteTenantData(at: now())
        return EmptyReply()
    }

    func list(_ request: Identity.ListTenants, _ call: BusCall) async throws -> Identity.ListTenants.Reply {
        _ = try await projects.project(request.project, traceID: call.trace.traceID)
        let limit = min(max(1, request.limit), Identity.ListTenants.maximumCount)
        return try await store.tenants(of: request.project, after: request.after, limit: limit)
    }

    private func existingTenant(_ id: TenantID, of project: ProjectID) async throws -> Identity.Tenant {
        guard let tenant = try await store.tenant(id, of: project) else {
            throw ServiceError(.tenantNotFound)
        }
        return tenant
    }

    /// This process uses the change at once, the others with the event, or after `RealmCache.timeToLive`.
    private func publishConfigurationChanged(of realm: Realm) async {
        await projects.invalidate(realm.project)
        publish(.configurationChanged(realm))
    }

    private func tenantEntry(
        _ action: AuditEntry.Action, _ tenant: TenantID, _ project: ProjectID, _ client: ClientContext, _ call: BusCall
    ) -> AuditEntry {
        AuditEntry(action, .administrator, Realm(project: project, tenant: tenant), client, call, about: nil, at: now())
    }
}

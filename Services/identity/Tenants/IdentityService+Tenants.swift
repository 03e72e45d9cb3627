import Bus
import Contracts
import ServiceRuntime
import Vocabulary

// MARK: Tenants

extension IdentityService {
    /// Ids drawn before we give up: each collides once in sixty million, if there is one tenant of the name.
    private static let maximumDraws = 5

    func createTenant(_ request: Identity.CreateTenant, _ call: BusCall) async throws -> Identity.Tenant {
        let project = try await dependencies.projects.project(request.project, traceID: call.trace.traceID)
        guard project.configuration.multiTenant?.allowTenants ?? false else { throw IdentityError.operationNotAllowed }
        let configuration = try request.configuration.checked(after: nil, at: dependencies.now().text)
        try configuration.refuseIneffectiveSettings(after: nil)
        for draw in 1... {
            let id = configuration.newID(random: dependencies.randomBytes)
            do {
                return try await dependencies.store.createTenant(
                    Identity.Tenant(id: id, configuration: configuration, revision: 1), of: request.project,
                    at: dependencies.now(),
                    audit: tenantEntry(.tenantCreated, id, request.project, request.client, call),
                    once: idempotentCall(for: call))
            } catch is TenantIDTakenError where draw < Self.maximumDraws {
                continue
            }
        }
        preconditionFailure("the last draw throws")
    }

    func readTenant(_ request: Identity.ReadTenant, _ call: BusCall) async throws -> Identity.Tenant {
        _ = try await dependencies.projects.project(request.project, traceID: call.trace.traceID)
        return try await existingTenant(request.tenant, of: request.project)
    }

    func replaceTenant(_ request: Identity.ReplaceTenant, _ call: BusCall) async throws -> Identity.Tenant {
        let current = try await existingTenant(request.tenant, of: request.project)
        let configuration = try request.configuration.checked(
            after: current.configuration, at: dependencies.now().text)
        try configuration.refuseIneffectiveSettings(after: current.configuration)
        let tenant = try await dependencies.store.replaceTenant(
            request.tenant, of: request.project, configuration, expectedRevision: request.expectedRevision,
            audit: tenantEntry(.tenantChanged, request.tenant, request.project, request.client, call),
            once: idempotentCall(for: call))
        await publishConfigurationChanged(of: Realm(project: request.project, tenant: request.tenant))
        return tenant
    }

    func deleteTenant(_ request: Identity.DeleteTenant, _ call: BusCall) async throws -> EmptyReply {
        try await dependencies.store.deleteTenant(
            request.tenant, of: request.project, at: dependencies.now(),
            audit: tenantEntry(.tenantDeleted, request.tenant, request.project, request.client, call),
            once: idempotentCall(for: call))
        await publishConfigurationChanged(of: Realm(project: request.project, tenant: request.tenant))
        // Nobody is found in it from here on. One batch now is all there is to most; the upkeep removes the rest.
        _ = try await dependencies.store.deleteTenantData()
        return EmptyReply()
    }

    func listTenants(_ request: Identity.ListTenants, _ call: BusCall) async throws -> Identity.ListTenants.Reply {
        _ = try await dependencies.projects.project(request.project, traceID: call.trace.traceID)
        let count = min(max(1, request.count), Identity.ListTenants.maximumCount)
        return try await dependencies.store.tenants(of: request.project, after: request.after, count: count)
    }

    func resolveConfiguration(
        _ request: Identity.ResolveConfiguration, _ call: BusCall
    ) async throws -> Identity.ResolveConfiguration.Reply {
        let project = try await dependencies.projects.projectForAdministration(
            request.realm, traceID: call.trace.traceID)
        return .init(
            configuration: project.configuration, projectNumber: project.number, isDisabled: project.isDisabled)
    }

    func clearAccounts(_ request: Identity.ClearAccounts, _ call: BusCall) async throws -> Identity.ClearAccounts.Reply
    {
        guard dependencies.isDev else { throw IdentityError.adminOnlyOperation }
        _ = try await dependencies.projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        return .init(
            hasMore: try await dependencies.store.clearAccounts(
                of: request.realm,
                audit: auditEntry(.accountsCleared, .administrator, request.realm, request.client, call, about: nil)))
    }

    private func existingTenant(_ id: TenantID, of project: ProjectID) async throws -> Identity.Tenant {
        guard let tenant = try await dependencies.store.tenant(id, of: project) else {
            throw IdentityError.tenantNotFound
        }
        return tenant
    }

    /// Here at once, elsewhere with the event, at the latest when what they know is a second old.
    private func publishConfigurationChanged(of realm: Realm) async {
        await dependencies.projects.invalidate(realm.project)
        dependencies.publish(.configurationChanged(realm))
    }

    private func tenantEntry(
        _ action: AuditEntry.Action, _ tenant: TenantID, _ project: ProjectID, _ client: ClientContext, _ call: BusCall
    ) -> AuditEntry {
        auditEntry(action, .administrator, Realm(project: project, tenant: tenant), client, call, about: nil)
    }
}

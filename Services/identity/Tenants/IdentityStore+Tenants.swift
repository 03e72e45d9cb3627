import Contracts
import JSON
import SQL
import Vocabulary

extension IdentityStore {
    /// The project of a realm with its tenant, read in one transaction.
    /// - Returns: nil without such a project.
    /// - Throws: `tenantNotFound`.
    func project(of realm: Realm) async throws -> Project? {
        try await read { transaction in
            guard var project = try transaction.project(realm.project) else { return nil }
            guard let id = realm.tenant else { return project }
            guard let tenant = try transaction.tenant(id, of: realm.project) else {
                throw ServiceError(.tenantNotFound)
            }
            project.enter(tenant)
            return project
        }
    }

    /// Adds a tenant.
    /// - Throws: `TenantIDTakenError`.
    func createTenant(
        _ tenant: Identity.Tenant, of project: ProjectID, at now: Moment, audit: AuditEntry,
        idempotency: IdempotentCall?
    ) async throws -> Identity.Tenant {
        var stored = tenant
        stored.configuration.branding = tenant.configuration.branding?.withoutLogoContent
        return try await write(idempotency: idempotency) { [stored] transaction in
            try transaction.execute(
                TenantTable.insertionIfAbsent,
                [
                    .project: project, .tenant: tenant.id, .configuration: try WireJSON.text(stored.configuration),
                    .revision: tenant.revision, .createdAt: now, .deletedAt: nil,
                ])
            guard transaction.changes == 1 else { throw TenantIDTakenError() }
            try transaction.saveLogo(
                of: tenant.configuration.branding, in: Realm(project: project, tenant: tenant.id), at: now)
            try transaction.append(audit)
            return stored
        }
    }

    func tenant(_ id: TenantID, of project: ProjectID) async throws -> Identity.Tenant? {
        try await read { transaction in try transaction.tenant(id, of: project) }
    }

    /// Stores a configuration if the revision is still the expected one.
    /// - Throws: `configurationConflict`, `tenantNotFound`.
    func replaceTenant(
        _ id: TenantID, of project: ProjectID, _ configuration: TenantConfiguration, expectedRevision: Int64,
        audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> Identity.Tenant {
        var stored = configuration
        stored.branding = configuration.branding?.withoutLogoContent
        return try await write(idempotency: idempotency) { [stored] transaction in
            guard let previous = try transaction.tenant(id, of: project) else { throw ServiceError(.tenantNotFound) }
            try transaction.execute(
                TenantTable.replacement,
                [
                    .project: project, .tenant: id, .revision: expectedRevision,
                    .configuration: try WireJSON.text(stored),
                ])
            guard transaction.changes == 1 else { throw ServiceError(.configurationConflict) }
            try transaction.saveLogo(
                of: configuration.branding, in: Realm(project: project, tenant: id), at: audit.at)
            try transaction.saveRevision(
                expectedRevision.addingSaturated(1), of: Realm(project: project, tenant: id), stored,
                after: previous.configuration, audit: audit)
            try transaction.append(audit)
            return Identity.Tenant(id: id, configuration: stored, revision: expectedRevision.addingSaturated(1))
        }
    }

    /// The tenants after an ID, and whether there are more than requested.
    func tenants(of project: ProjectID, after id: TenantID?, limit: Int) async throws -> Identity.ListTenants.Reply {
        try await read { transaction in
            let rows = try transaction.rows(
                TenantTable.next, [.project: project, .tenant: id?.rawValue ?? ""], Int64(limit) + 1)
            return .init(
                tenants: try rows.prefix(limit).map { try Identity.Tenant($0) }, hasMore: rows.count > limit)
        }
    }

    /// Marks a tenant as deleted: from then on its accounts are unknown. `deleteTenantData` deletes its rows.
    /// - Throws: `tenantNotFound`.
    func deleteTenant(
        _ id: TenantID, of project: ProjectID, at now: Moment, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws {
        _ = try await write(idempotency: idempotency) { transaction in
            try transaction.execute(
                TenantTable.deletion, [.project: project, .tenant: id, .deletedAt: now])
            guard transaction.changes == 1 else { throw ServiceError(.tenantNotFound) }
            try transaction.saveLogo(of: nil, in: Realm(project: project, tenant: id), at: now)
            try transaction.append(audit)
            return EmptyReply()
        }
    }

    /// Deletes a batch of rows of deleted tenants, and a tenant itself when it has no rows left.
    /// - Returns: whether there are more.
    func deleteTenantData(batch: Int = 500, at now: Moment) async throws -> Bool {
        try await write { transaction in
            guard let realm = try transaction.firstRow(TenantTable.firstDeleted)?.realm() else { return false }
            if try transaction.remove(IdentityTables.tenantData, of: realm, batch: batch, at: now) { return true }
            try transaction.execute(TenantTable.removal, SQLRecord(realm))
            return true
        }
    }

    /// Deletes a batch of the accounts of a realm, with their sessions, codes and counters.
    /// - Returns: whether there may be more.
    func clearAccounts(of realm: Realm, batch: Int = 500, audit: AuditEntry) async throws -> Bool {
        try await write { transaction in
            try transaction.append(audit)
            return try transaction.remove(IdentityTables.accountData, of: realm, batch: batch, at: audit.at)
        }
    }
}

/// Another tenant has the ID; the caller draws another one.
struct TenantIDTakenError: Error {}

// MARK: - Rows

extension SQLTransaction {
    /// Whether a realm may have accounts: a project as long as it exists, a tenant until it is deleted.
    borrowing func realmExists(_ realm: Realm) throws -> Bool {
        guard realm.tenant != nil else { return true }
        return try firstRow(TenantTable.existence, SQLRecord(realm)) != nil
    }

    fileprivate borrowing func tenant(_ id: TenantID, of project: ProjectID) throws -> Identity.Tenant? {
        try firstRow(TenantTable.byKey, [.project: project, .tenant: id]).map { try Identity.Tenant($0) }
    }

    /// Deletes a batch of the rows of a realm, and notes the accounts among them for other services.
    /// - Returns: whether rows were deleted.
    fileprivate borrowing func remove(
        _ tables: [any TenantDataTable.Type], of realm: Realm, batch: Int, at now: Moment
    ) throws -> Bool {
        var removed = 0
        try execute(DeletedAccountTable.savingOfRealm, SQLRecord(realm) + [.deletedAt: now], batch)
        for table in tables { removed += try removeRows(of: table, of: realm, batch: batch) }
        return removed > 0
    }

    private borrowing func removeRows<Table: TenantDataTable>(
        of _: Table.Type, of realm: Realm, batch: Int
    ) throws -> Int {
        try execute(Table.deletionOfRealm, SQLRecord(realm), batch)
        return changes
    }
}

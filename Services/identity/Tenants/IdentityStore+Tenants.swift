import Contracts
import FoundationEssentials
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
            guard let tenant = try transaction.tenant(id, of: realm.project) else { throw IdentityError.tenantNotFound }
            project.enter(tenant)
            return project
        }
    }

    /// Adds a tenant.
    /// - Throws: `TenantIDTakenError`.
    func createTenant(
        _ tenant: Identity.Tenant, of project: ProjectID, at now: Moment, audit: AuditEntry, once: IdempotentCall?
    ) async throws -> Identity.Tenant {
        try await write(once: once) { transaction in
            try transaction.execute(
                """
                INSERT INTO tenants (project, tenant, configuration, revision, created_at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (project, tenant) DO NOTHING
                """, .text(project.rawValue), .text(tenant.id.rawValue), .text(try tenant.configuration.text),
                .integer(tenant.revision), .integer(now.milliseconds))
            guard transaction.changes == 1 else { throw TenantIDTakenError() }
            try transaction.append(audit)
            return tenant
        }
    }

    func tenant(_ id: TenantID, of project: ProjectID) async throws -> Identity.Tenant? {
        try await read { transaction in try transaction.tenant(id, of: project) }
    }

    /// Stores a configuration if the revision is still the expected one.
    /// - Throws: `configurationConflict`, `tenantNotFound`.
    func replaceTenant(
        _ id: TenantID, of project: ProjectID, _ configuration: TenantConfiguration, expectedRevision: Int64,
        audit: AuditEntry, once: IdempotentCall?
    ) async throws -> Identity.Tenant {
        try await write(once: once) { transaction in
            guard try transaction.tenant(id, of: project) != nil else { throw IdentityError.tenantNotFound }
            try transaction.execute(
                """
                UPDATE tenants SET configuration = $4, revision = revision + 1
                WHERE project = $1 AND tenant = $2 AND revision = $3 AND deleted_at IS NULL
                """, .text(project.rawValue), .text(id.rawValue), .integer(expectedRevision),
                .text(try configuration.text))
            guard transaction.changes == 1 else { throw IdentityError.configurationConflict }
            try transaction.append(audit)
            return Identity.Tenant(id: id, configuration: configuration, revision: expectedRevision.addingSaturated(1))
        }
    }

    /// The tenants after an ID, and whether there are more than requested.
    func tenants(of project: ProjectID, after id: TenantID?, count: Int) async throws -> Identity.ListTenants.Reply {
        try await read { transaction in
            let rows = try transaction.rows(
                """
                SELECT tenant, configuration, revision FROM tenants
                WHERE project = $1 AND tenant > $2 AND deleted_at IS NULL ORDER BY tenant LIMIT $3
                """, .text(project.rawValue), .text(id?.rawValue ?? ""), .integer(Int64(count) + 1))
            return .init(
                tenants: try rows.prefix(count).map { try Identity.Tenant(row: $0) }, hasMore: rows.count > count)
        }
    }

    /// Marks a tenant as deleted: from then on its accounts are unknown. `deleteTenantData` deletes its rows.
    /// - Throws: `tenantNotFound`.
    func deleteTenant(
        _ id: TenantID, of project: ProjectID, at now: Moment, audit: AuditEntry, once: IdempotentCall?
    ) async throws {
        _ = try await write(once: once) { transaction in
            try transaction.execute(
                "UPDATE tenants SET deleted_at = $3 WHERE project = $1 AND tenant = $2 AND deleted_at IS NULL",
                .text(project.rawValue), .text(id.rawValue), .integer(now.milliseconds))
            guard transaction.changes == 1 else { throw IdentityError.tenantNotFound }
            try transaction.append(audit)
            return EmptyReply()
        }
    }

    /// Deletes a batch of rows of deleted tenants, and a tenant itself when it has no rows left.
    /// - Returns: whether there are more.
    func deleteTenantData(batch: Int = 500) async throws -> Bool {
        try await write { transaction in
            guard
                let row = try transaction.firstRow(
                    "SELECT project, tenant FROM tenants WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1")
            else { return false }
            let realm = Realm(
                project: ProjectID(try row.get("project")), tenant: TenantID(try row.get("tenant")))
            if try transaction.removeAccounts(of: realm, batch: batch) { return true }
            try transaction.execute(
                "DELETE FROM tenants WHERE project = $1 AND tenant = $2", .text(realm.project.rawValue),
                .text(realm.tenantColumn))
            return true
        }
    }

    /// Deletes a batch of the accounts of a realm, with their sessions, codes and counters.
    /// - Returns: whether there may be more.
    func clearAccounts(of realm: Realm, batch: Int = 500, audit: AuditEntry) async throws -> Bool {
        try await write { transaction in
            try transaction.append(audit)
            return try transaction.removeAccounts(of: realm, batch: batch)
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
        return try firstRow(
            "SELECT revision FROM tenants WHERE project = $1 AND tenant = $2 AND deleted_at IS NULL",
            .text(realm.project.rawValue), .text(realm.tenantColumn)) != nil
    }

    fileprivate borrowing func tenant(_ id: TenantID, of project: ProjectID) throws -> Identity.Tenant? {
        try firstRow(
            """
            SELECT tenant, configuration, revision FROM tenants
            WHERE project = $1 AND tenant = $2 AND deleted_at IS NULL
            """, .text(project.rawValue), .text(id.rawValue)
        ).map { try Identity.Tenant(row: $0) }
    }

    /// - Returns: whether rows were deleted.
    fileprivate borrowing func removeAccounts(of realm: Realm, batch: Int) throws -> Bool {
        var removed = 0
        // Accounts last: an account that still has sessions is found again by the next batch.
        for (table, key) in [
            ("sessions", "session_id"), ("sign_in_attempts", "address_digest"), ("action_codes", "sequence"),
            ("sending_quotas", "sequence"), ("temporary_proofs", "proof_hash"), ("pending_mails", "mail_id"),
            ("accounts", "account_id"),
        ] {
            try execute(
                """
                DELETE FROM \(table) WHERE project = $1 AND tenant = $2 AND \(key) IN
                    (SELECT \(key) FROM \(table) WHERE project = $1 AND tenant = $2 LIMIT $3)
                """, .text(realm.project.rawValue), .text(realm.tenantColumn), .integer(Int64(batch)))
            removed += changes
        }
        return removed > 0
    }
}

extension Identity.Tenant {
    fileprivate init(row: SQLRow) throws {
        let configuration: String = try row.get("configuration")
        self.init(
            id: TenantID(try row.get("tenant")),
            configuration: try WireJSON.decodeUnchecked(TenantConfiguration.self, from: Data(configuration.utf8)),
            revision: try row.get("revision"))
    }
}

extension TenantConfiguration {
    fileprivate var text: String {
        get throws { String(decoding: try WireJSON.encode(self), as: UTF8.self) }
    }
}

package import Vocabulary

extension Identity {
    /// A tenant in the form for administrators.
    package struct Tenant: Codable, Equatable, Sendable {
        package var id: TenantID
        package var configuration: TenantConfiguration
        /// Increases with every change.
        package var revision: Int64

        package init(id: TenantID, configuration: TenantConfiguration, revision: Int64) {
            self.id = id
            self.configuration = configuration
            self.revision = revision
        }
    }

    /// Creates a tenant; its id is derived from its display name.
    package struct CreateTenant: BusRequest {
        package static let operation = Identity.Operation.createTenant
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var configuration: TenantConfiguration
        package var client: ClientContext

        package init(project: ProjectID, configuration: TenantConfiguration, client: ClientContext = .init()) {
            self.project = project
            self.configuration = configuration
            self.client = client
        }

        package typealias Reply = Tenant
    }

    /// Reads a tenant.
    package struct ReadTenant: BusRequest {
        package static let operation = Identity.Operation.readTenant
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID
        package var tenant: TenantID

        package init(project: ProjectID, tenant: TenantID) {
            self.project = project
            self.tenant = tenant
        }

        package typealias Reply = Tenant
    }

    /// Stores a complete configuration if it has not changed since `expectedRevision`.
    package struct ReplaceTenant: BusRequest {
        package static let operation = Identity.Operation.replaceTenant
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var tenant: TenantID
        package var configuration: TenantConfiguration
        package var expectedRevision: Int64
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID, configuration: TenantConfiguration, expectedRevision: Int64,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.configuration = configuration
            self.expectedRevision = expectedRevision
            self.client = client
        }

        package typealias Reply = Tenant
    }

    /// Deletes a tenant: its sessions and tokens are invalid with the reply, its accounts are deleted in batches after
    /// it.
    package struct DeleteTenant: BusRequest {
        package static let operation = Identity.Operation.deleteTenant
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var tenant: TenantID
        package var client: ClientContext

        package init(project: ProjectID, tenant: TenantID, client: ClientContext = .init()) {
            self.project = project
            self.tenant = tenant
            self.client = client
        }

        package typealias Reply = EmptyReply
    }

    /// A page of a project's tenants, ordered by id.
    package struct ListTenants: BusRequest {
        package static let operation = Identity.Operation.listTenants
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 1000

        package var project: ProjectID
        /// The last id of the previous page.
        package var after: TenantID?
        /// 1 to `maximumCount`.
        package var limit: Int

        package init(project: ProjectID, after: TenantID? = nil, limit: Int) {
            self.project = project
            self.after = after
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var tenants: [Tenant]
            package var hasMore: Bool

            package init(tenants: [Tenant], hasMore: Bool) {
                self.tenants = tenants
                self.hasMore = hasMore
            }
        }
    }
}

/// The isolated set of users of a request: a project, or one tenant of it. Part of every stored key.
package struct Realm: Hashable, Codable, Sendable {
    package var project: ProjectID
    /// `nil`: the project's own users, outside all tenants.
    package var tenant: TenantID?

    package init(project: ProjectID, tenant: TenantID? = nil) {
        self.project = project
        self.tenant = tenant
    }
}

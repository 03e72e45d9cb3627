/// The isolated set of users a request is about: a project, or one tenant of it. Part of every key we store.
package struct Realm: Hashable, Codable, Sendable {
    package var project: ProjectID
    /// `nil`: the project's own users, outside all tenants.
    package var tenant: TenantID?

    package init(project: ProjectID, tenant: TenantID? = nil) {
        self.project = project
        self.tenant = tenant
    }
}

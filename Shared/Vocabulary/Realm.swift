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

extension Realm {
    /// Whether a text can be the id of a project or a tenant: 1 to 128 letters and digits of ASCII, `-`, `_`, `.` and
    /// `:`. Such ids stand in keys, issuers, audiences and resource names.
    package static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
    }
}

package import Vocabulary

/// A table whose rows belong to a realm. A project's own users have the empty tenant.
package protocol SQLRealmTable: SQLTableDescription {
    static var project: Self { get }
    static var tenant: Self { get }
}

extension SQLRecord where Table: SQLRealmTable {
    /// The columns `project` and `tenant`.
    package init(_ realm: Realm) {
        self = [.project: realm.project, .tenant: realm.tenant?.rawValue ?? ""]
    }
}

extension SQLTableRow where Table: SQLRealmTable {
    /// The realm in the columns `project` and `tenant`.
    /// - Throws: `SQLError.columnTypeMismatch`.
    package func realm() throws(SQLError) -> Realm {
        let tenant: TenantID = try get(.tenant)
        return Realm(project: try get(.project), tenant: tenant.rawValue.isEmpty ? nil : tenant)
    }
}

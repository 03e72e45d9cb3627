import Contracts
import SQL
import Vocabulary

/// The tenants of projects. A deleted one keeps its row until its data is deleted.
enum TenantTable: String, SQLRealmTable {
    case project, tenant, revision
    /// JSON.
    case configuration
    case createdAt = "created_at"
    /// Null unless the tenant is deleted.
    case deletedAt = "deleted_at"

    static let table = "tenants"
    static let key = [project, tenant]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.deleteTenantData")

    static let insertionIfAbsent = insert("ON CONFLICT (project, tenant) DO NOTHING")
    static let byKey = select([tenant, configuration, revision], "AND deleted_at IS NULL")
    static let existence = select([revision], "AND deleted_at IS NULL")
    /// The tenants behind the one in the record.
    static let next = SQLStatement<Self>(
        """
        SELECT tenant, configuration, revision FROM tenants
        WHERE project = :project AND tenant > :tenant AND deleted_at IS NULL ORDER BY tenant LIMIT $1
        """)
    /// The revision is the expected one.
    static let replacement = SQLStatement<Self>(
        """
        UPDATE tenants SET configuration = :configuration, revision = revision + 1
        WHERE project = :project AND tenant = :tenant AND revision = :revision AND deleted_at IS NULL
        """)
    static let deletion = update([deletedAt], "AND deleted_at IS NULL")
    static let firstDeleted = select(
        [project, tenant], where: [], "WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1")
    static let removal = delete()
}

/// A table with data of a realm that no foreign key deletes with an account.
protocol TenantDataTable: SQLRealmTable {
    /// Deletes rows of the realm in the record, as many as the argument.
    static var deletionOfRealm: SQLStatement<Self> { get }
}

extension TenantDataTable {
    /// - Parameter order: of the rows that are deleted first; without one, any.
    static func deleteInRealm(_ order: String = "") -> SQLStatement<Self> {
        let names = key.filter { $0 != project && $0 != tenant }.map(\.rawValue)
        precondition(names.count == 1, "one column of \(table) distinguishes the rows of a realm")
        let row = names.joined()
        return SQLStatement(
            """
            DELETE FROM \(table) WHERE project = :project AND tenant = :tenant AND \(row) IN
                (SELECT \(row) FROM \(table) WHERE project = :project AND tenant = :tenant \(order) LIMIT $1)
            """)
    }
}

// MARK: - Records and rows

extension Identity.Tenant {
    init(_ row: SQLTableRow<TenantTable>) throws {
        self.init(
            id: try row.get(.tenant),
            configuration: try row.getJSON(.configuration), revision: try row.get(.revision))
    }
}

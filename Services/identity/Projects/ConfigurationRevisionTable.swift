import Contracts
import SQL
import Vocabulary

/// The latest configurations of projects and tenants, so that a change can be shown and undone. None has a secret.
enum ConfigurationRevisionTable: String, TenantDataTable {
    case project, tenant, revision
    /// JSON, as in the table of projects or tenants.
    case configuration
    /// Null for a configuration before the first change that was kept.
    case changedAt = "changed_at"
    /// As in the audit log; null as `changedAt`.
    case actor

    static let table = "configuration_revisions"
    static let key = [project, tenant, revision]
    static let expiry = SQLExpiry<Self>.deletedBy("SQLTransaction.saveRevision")

    static let insertionIfAbsent = insert("ON CONFLICT (project, tenant, revision) DO NOTHING")
    static let byKey = select([configuration])
    static let latest = SQLStatement<Self>(
        """
        SELECT revision, changed_at, actor FROM configuration_revisions
        WHERE project = :project AND tenant = :tenant AND actor IS NOT NULL ORDER BY revision DESC LIMIT $1
        """)
    /// Deletes the revision in the record and those before it.
    static let deletionOfOld = SQLStatement<Self>(
        """
        DELETE FROM configuration_revisions
        WHERE project = :project AND tenant = :tenant AND revision <= :revision
        """)
    static let deletionOfRealm = deleteInRealm()
}

import Contracts
import SQL
import Vocabulary

/// The logos of projects and tenants, beside their configurations, which have the digests.
enum LogoTable: String, SQLRealmTable {
    case project, tenant, digest, content
    case mediaType = "media_type"
    /// Null for the logo that the configuration has now.
    case retiredAt = "retired_at"

    static let table = "logos"
    static let key = [project, tenant, digest]
    /// Mails that were sent before still show it.
    static let expiry = SQLExpiry.after(Self.retiredAt, lifetime: .seconds(30 * 24 * 60 * 60))

    static let saving = insert(
        "ON CONFLICT (project, tenant, digest) DO UPDATE SET retired_at = excluded.retired_at")
    /// All logos of the realm except the one in the record.
    static let retirement = SQLStatement<Self>(
        """
        UPDATE logos SET retired_at = :retired_at
        WHERE project = :project AND tenant = :tenant AND digest <> :digest AND retired_at IS NULL
        """)
    static let byDigest = select([mediaType, content], where: [digest], "LIMIT 1")
}

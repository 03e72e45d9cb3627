import Contracts
import SQL
import Vocabulary

/// The roles of operators, one for each project.
enum OperatorGrantTable: String, AccountKeyTable {
    case project, tenant, role
    case accountID = "account_id"
    /// The project of the role; empty for the installation. `project` is that of the account.
    case scope

    static let table = "operator_grants"
    static let key = [project, tenant, accountID, scope]
    static let expiry = SQLExpiry<Self>.never

    static let replacement = upsert()
    static let ofAccount = select([scope, role], where: [project, tenant, accountID], "ORDER BY scope")
    static let removal = delete()
    static let accounts = SQLStatement<Self>(
        "SELECT DISTINCT account_id FROM operator_grants WHERE project = :project AND tenant = :tenant ORDER BY account_id"
    )
}

/// The sessions of the console, by the hash of their token.
enum OperatorSessionTable: String, AccountKeyTable {
    case project, tenant, device
    case tokenHash = "token_hash"
    case accountID = "account_id"
    case createdAt = "created_at"
    case lastUsedAt = "last_used_at"
    case endsAt = "ends_at"
    case clientAddress = "client_address"

    static let table = "operator_sessions"
    static let key = [tokenHash]
    static let expiry = SQLExpiry.at(Self.endsAt)

    static let insertion = insert()
    static let byKey = select()
    static let use = update([lastUsedAt])
    static let ofAccount = select(
        where: [project, tenant, accountID], "ORDER BY last_used_at DESC, token_hash LIMIT $1")
    static let removal = delete(where: [project, tenant, accountID, tokenHash])
    static let removalOfAccount = delete(where: [project, tenant, accountID])
}

// MARK: - Records and rows

extension Identity.OperatorRole: SQLConvertible {}

extension Identity.OperatorGrant {
    var columns: SQLRecord<OperatorGrantTable> { [.scope: project?.rawValue ?? "", .role: role] }

    init(_ row: SQLTableRow<OperatorGrantTable>) throws {
        let scope: String = try row.get(.scope)
        self.init(project: scope.nilIfEmpty.map { ProjectID($0) }, role: try row.get(.role))
    }
}

extension OperatorSession {
    var columns: SQLRecord<OperatorSessionTable> {
        SQLRecord(accountID, in: .operators) + [
            .tokenHash: tokenHash, .createdAt: createdAt, .lastUsedAt: lastUsedAt, .endsAt: endsAt,
            .clientAddress: clientAddress, .device: device,
        ]
    }

    init(_ row: SQLTableRow<OperatorSessionTable>) throws {
        self.init(
            tokenHash: try row.get(.tokenHash), accountID: try row.get(.accountID),
            createdAt: try row.get(.createdAt), lastUsedAt: try row.get(.lastUsedAt),
            clientAddress: try row.getIfPresent(.clientAddress), device: try row.getIfPresent(.device))
    }
}

import Contracts
import SQL
import Vocabulary

/// The audit log.
enum AuditLogTable: String, SQLTableDescription {
    case sequence, at, project, tenant, action, outcome, actor, trace
    case accountID = "account_id"
    case ipAddress = "ip_address"
    /// Null until the record is linked.
    case link
    /// Empty until the record is linked.
    case chain
    /// Null for a record of one act.
    case count

    static let table = "audit_log"
    static let key = [sequence]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.deleteAudit")

    static let insertion = insert(omitting: [sequence, link])
    static let unlinked = select(where: [], "WHERE link IS NULL ORDER BY sequence LIMIT $1")
    static let linking = update([link, chain], "AND link IS NULL")
    static let chainOfLink = select([link, chain], where: [link])
    static let lastSequence = select([sequence], where: [], "ORDER BY sequence DESC LIMIT 1")
    static let lastLink = select([link, chain, at], where: [], "WHERE link IS NOT NULL ORDER BY link DESC LIMIT 1")
    /// The arguments are the last link before, and the number of records.
    static let linked = select(where: [], "WHERE link > $1 ORDER BY link LIMIT $2")
    /// Records before a sequence number, the last first, with the values of these columns in the record.
    /// - Parameter index: whose condition the values of the columns fulfil; nil if they fulfil none.
    static func listing(_ columns: [Self], index: AuditIndex? = nil) -> SQLStatement<Self> {
        let conditions =
            columns.map { "\($0.rawValue) = :\($0.rawValue)" } + (index.map { [$0.rawValue] } ?? [])
            + ["sequence < :sequence"]
        return select(where: [], "WHERE \(conditions.joined(separator: " AND ")) ORDER BY sequence DESC LIMIT $1")
    }

    static let removal = delete(where: [sequence, link])

    static let oldActs = old("outcome = 'done'")
    static let oldRefusals = old("outcome <> 'done'")

    /// The arguments are a time and the number of records. The last link is not among them: the next one follows from
    /// it.
    private static func old(_ condition: String) -> SQLStatement<Self> {
        select(
            [sequence, link, chain], where: [],
            """
            WHERE \(condition) AND at < $1 AND link < (
                SELECT link FROM audit_log WHERE link IS NOT NULL ORDER BY link DESC LIMIT 1)
            ORDER BY at LIMIT $2
            """)
    }
}

/// Ends of the chain, sealed under the master key.
enum AuditAnchorTable: String, SQLTableDescription {
    case link, at
    /// Whether the next links move it.
    case isMoving = "moves"
    case sealedChain = "sealed_chain"

    static let table = "audit_anchors"
    static let key = [link]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.deleteAudit")

    static let insertion = insert()
    static let last = select(where: [], "ORDER BY link DESC LIMIT 1")
    /// The argument is a link.
    static let lastUpTo = select([link], where: [], "WHERE link <= $1 ORDER BY link DESC LIMIT 1")
    static let firstBehind = select(where: [], "WHERE link > $1 ORDER BY link LIMIT 1")
    static let confirmation = update([at, isMoving, sealedChain])
    static let removalOfLink = delete()
    /// Behind the first argument, up to the second.
    static let between = select([link, sealedChain], where: [], "WHERE link > $1 AND link <= $2 ORDER BY link")
    /// From the first argument to the second.
    static let removal = delete(where: [], "WHERE link >= $1 AND link <= $2 RETURNING link")
}

/// Refusals that are counted until their minute is over.
enum AuditRefusalTable: String, SQLTableDescription {
    /// Minutes since 1970.
    case minute
    case project, tenant, action, outcome, actor, shard, count, at, trace
    /// Empty for a refusal without an account.
    case accountID = "account_id"
    case ipAddress = "ip_address"

    static let table = "audit_refusals"
    static let key = [minute, project, tenant, action, outcome, actor, accountID, shard]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.closeRefusals")

    /// The columns that refusals of one record have in common.
    static let group = [minute, project, tenant, action, outcome, actor, accountID]

    static let increment = insert(
        """
        ON CONFLICT (\(keyNames.joined(separator: ", "))) DO UPDATE SET count = audit_refusals.count + 1
        """)
    static let firstClosed = select([minute], where: [], "WHERE minute < $1 LIMIT 1")
    /// The arguments are a minute and the number of rows.
    static let closed = select(
        where: [], "WHERE minute < $1 ORDER BY \(keyNames.joined(separator: ", ")) LIMIT $2")
    static let removalOfGroup = delete(where: group)
}

/// Sealed gaps in the chain, where old records were deleted.
enum AuditCutTable: String, SQLTableDescription {
    case firstLink = "first_link"
    case lastLink = "last_link"
    case sealedEnd = "sealed_end"

    static let table = "audit_cuts"
    static let key = [firstLink]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.deleteAudit")

    static let insertion = insert()
    /// Behind the first argument, up to the second.
    static let between = select([firstLink, sealedEnd], where: [], "WHERE first_link > $1 AND first_link <= $2")
    /// The cuts that end at the first argument or begin at the second.
    static let adjacent = select([firstLink, sealedEnd], where: [], "WHERE last_link = $1 OR first_link = $2")
    /// From the first argument to the second.
    static let removal = delete(where: [], "WHERE first_link >= $1 AND first_link <= $2")
}

// MARK: - Records and rows

extension Identity.AuditLogRecord {
    var columns: SQLRecord<AuditLogTable> {
        [
            .at: at, .project: project, .tenant: tenant, .action: action, .outcome: outcome, .actor: actor,
            .accountID: accountID, .ipAddress: ipAddress, .trace: traceID, .chain: [] as [UInt8], .count: count,
        ]
    }

    init(_ row: SQLTableRow<AuditLogTable>) throws {
        self.init(
            sequence: try row.get(.sequence), at: try row.get(.at), project: try row.get(.project),
            tenant: try row.get(.tenant), action: try row.get(.action), outcome: try row.get(.outcome),
            actor: try row.get(.actor), accountID: try row.getIfPresent(.accountID),
            ipAddress: try row.getIfPresent(.ipAddress),
            traceID: try row.get(.trace), count: try row.getIfPresent(.count))
    }

    /// The columns of `AuditRefusalTable.group`.
    func group(minute: Int64) -> SQLRecord<AuditRefusalTable> {
        [
            .minute: minute, .project: project, .tenant: tenant, .action: action, .outcome: outcome, .actor: actor,
            .accountID: accountID ?? "",
        ]
    }

    init(_ row: SQLTableRow<AuditRefusalTable>) throws {
        let accountID: String = try row.get(.accountID)
        self.init(
            at: try row.get(.at), project: try row.get(.project), tenant: try row.get(.tenant),
            action: try row.get(.action), outcome: try row.get(.outcome), actor: try row.get(.actor),
            accountID: accountID.nilIfEmpty, ipAddress: try row.getIfPresent(.ipAddress),
            traceID: try row.get(.trace), count: try row.get(.count))
    }
}

extension AuditLink {
    init(_ row: SQLTableRow<AuditLogTable>) throws {
        self.init(number: try row.get(.link), chain: try row.get(.chain))
    }
}

/// The conditions of partial indexes, as they stand in the migrations. An engine uses such an index only for a statement with
/// the same condition.
enum AuditIndex: String {
    /// The acts of operators, by actor.
    case operators = "actor LIKE 'operator:%'"
    /// By action. Those of every sign-in and sign-up are found without an index, and it costs them nothing.
    case rareActions = """
        action NOT IN ('session.created', 'session.first-factor-verified', 'session.ended', 'account.created', \
        'account.updated', 'action-code.issued')
        """

    private static let frequentActions: Set<String> = [
        "session.created", "session.first-factor-verified", "session.ended", "account.created", "account.updated",
        "action-code.issued",
    ]

    /// - Returns: nil for records that no index has.
    init?(actor: String?, action: String?) {
        if actor?.hasPrefix("operator:") ?? false {
            self = .operators
        } else if let action, !Self.frequentActions.contains(action) {
            self = .rareActions
        } else {
            return nil
        }
    }
}

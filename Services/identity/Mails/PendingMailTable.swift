import Contracts
import FoundationEssentials
import JSON
import SQL
import Vocabulary

/// The mails that the notifier has not accepted yet.
enum PendingMailTable: String, TenantDataTable {
    case project, tenant, attempts
    case mailID = "mail_id"
    case createdAt = "created_at"
    case expiresAt = "expires_at"
    /// The next attempt, or the end of a lease.
    case dueAt = "due_at"
    /// When the pause or the lease until then began.
    case pausedAt = "paused_at"
    /// Null for a mail that nobody sends.
    case leaseHolder = "lease_holder"
    case sealedMail = "sealed_mail"

    static let table = "pending_mails"
    static let key = [mailID]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.deleteExpiredMails")

    /// `$1` is the time, `$2` the time after which no pause begins (`Moment.endedPause`).
    private static let isDue = "(due_at <= $1 OR paused_at > $2) AND expires_at > $1"

    static let insertion = insert()
    static let firstDue = select([mailID], where: [], "WHERE \(isDue) LIMIT 1")
    /// `$3` is the number of mails.
    static let lease = SQLStatement<Self>(
        """
        UPDATE pending_mails SET due_at = :due_at, paused_at = :paused_at, lease_holder = :lease_holder,
            attempts = attempts + 1
        WHERE mail_id IN (SELECT mail_id FROM pending_mails WHERE \(isDue) ORDER BY due_at LIMIT $3) AND \(isDue)
        RETURNING mail_id, created_at, expires_at, attempts, sealed_mail
        """)
    /// The number of attempts distinguishes successive leases.
    static let release = update([dueAt, pausedAt, leaseHolder], where: [mailID, attempts])
    static let leaseHolders = SQLStatement<Self>(
        "SELECT DISTINCT lease_holder FROM pending_mails WHERE lease_holder IS NOT NULL")
    static let releaseOfHolder = SQLStatement<Self>(
        """
        UPDATE pending_mails SET due_at = :due_at, paused_at = :paused_at, lease_holder = NULL
        WHERE lease_holder = :lease_holder
        """)
    static let removal = delete()
    /// The arguments are the time and the number of mails.
    static let removalOfExpired = SQLStatement<Self>(
        """
        DELETE FROM pending_mails WHERE mail_id IN
            (SELECT mail_id FROM pending_mails WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
        RETURNING mail_id, sealed_mail
        """)
    static let backlog = SQLStatement<Self>("SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM pending_mails")
    static let deletionOfRealm = deleteInRealm()
}

// MARK: - Records and rows

extension PendingMail {
    /// The columns of a new mail besides the sealed content.
    var columns: SQLRecord<PendingMailTable> {
        SQLRecord(realm) + [
            .mailID: id, .createdAt: createdAt, .expiresAt: expiresAt, .dueAt: createdAt,
            .pausedAt: createdAt, .leaseHolder: nil, .attempts: attempts,
        ]
    }

    /// - Parameter json: the opened content.
    init(_ row: SQLTableRow<PendingMailTable>, content json: [UInt8]) throws {
        self.init(
            id: try row.get(.mailID), content: try WireJSON.decodeUnchecked(Content.self, from: Data(json)),
            createdAt: try row.get(.createdAt), expiresAt: try row.get(.expiresAt), attempts: try row.get(.attempts))
    }
}

import Contracts
import Delivery
import SQL
import Vocabulary

/// The e-mails that the notifier has not accepted yet.
enum PendingEmailTable: String, TenantDataTable, SQLLeasedTable {
    case project, tenant, attempts
    case emailID = "mail_id"
    case createdAt = "created_at"
    case expiresAt = "expires_at"
    /// The next attempt, or the end of a lease.
    case dueAt = "due_at"
    /// When the pause or the lease until then began.
    case pausedAt = "paused_at"
    /// Null for an e-mail that nobody sends.
    case leaseHolder = "lease_holder"
    case sealedEmail = "sealed_mail"

    static let table = "pending_mails"
    static let key = [emailID]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.deleteExpiredMails")

    static let leaseNumber = Self.attempts
    static let leasableUntil: Self? = .expiresAt
    static let endsLeasesOfTheFuture = true

    static let insertion = insert()
    static let leases = SQLLeases<Self>()
    static let removal = delete()
    /// The arguments are the time and the number of e-mails.
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

extension PendingEmail {
    /// The columns of a new e-mail besides the sealed content.
    var columns: SQLRecord<PendingEmailTable> {
        SQLRecord(realm) + [
            .emailID: id, .createdAt: createdAt, .expiresAt: expiresAt, .dueAt: createdAt,
            .pausedAt: createdAt, .leaseHolder: nil, .attempts: 0,
        ]
    }

    init(_ row: SQLTableRow<PendingEmailTable>, content: Content) throws {
        self.init(
            id: try row.get(.emailID), content: content,
            createdAt: try row.get(.createdAt), expiresAt: try row.get(.expiresAt))
    }
}

import Crypto
import Delivery
import MasterKey
import SQL
import Vocabulary

/// An e-mail to be stored, and the action code of its link.
struct NewEmail: Sendable {
    var mail: PendingEmail
    /// Stored with the e-mail; nil for an e-mail without a link, and for a code that was already stored.
    var code: NewActionCode?
    /// For a notice to an address that this account has not proven: only `EmailQuota.perUnverifiedAccount` are stored.
    var unprovenAccount: AccountID?
}

/// The e-mails of a change of an account. Runs in the transaction of the change, possibly more than once, so it must have
/// no side effects.
typealias EmailsOfChange = @Sendable (_ before: StoredAccount, _ after: StoredAccount) throws -> [NewEmail]

/// An e-mail that this process may give to the notifier now.
struct LeasedEmail: Sendable {
    var id: String
    var lease: SQLLease<PendingEmailTable>
    /// Nil: the row is damaged, so the e-mail cannot be sent.
    var mail: PendingEmail?
}

extension IdentityStore {
    static let sealedEmail = SealedColumn(PendingEmailTable.sealedEmail)

    /// Stores e-mails with their codes, in the transaction of their cause.
    func enqueue(_ mails: [NewEmail], _ transaction: borrowing SQLTransaction) throws {
        for new in mails {
            // An account with the address of another user must not send notices to it without limit.
            if let id = new.unprovenAccount,
                try !reserveNotice(of: id, in: new.mail.realm, at: new.mail.createdAt, transaction)
            {
                continue
            }
            if let code = new.code { try insert(code, accountID: code.code.accountID, transaction) }
            try enqueue(new.mail, transaction)
        }
    }

    /// Stores an e-mail, in the transaction of its cause.
    func enqueue(_ mail: PendingEmail, _ transaction: borrowing SQLTransaction) throws {
        let sealed = try sealingKeys.seal(
            json: mail.content, binding: Self.sealedEmail.binding(.text(mail.id)))
        try transaction.execute(PendingEmailTable.insertion, mail.columns + [.sealedEmail: sealed])
    }

    func hasDueEmails(at now: Moment) async throws -> Bool {
        try await read { transaction in try PendingEmailTable.leases.hasDueRow(at: now, transaction) }
    }

    /// Leases e-mails that are due. No other process gets them until the lease ends.
    /// - Throws: `MasterKeyError.unknownKey`; then nothing is leased.
    func leaseEmails(
        upTo count: Int, to holder: String, for duration: Duration, at now: Moment
    ) async throws -> [LeasedEmail] {
        try await write { [sealingKeys] transaction in
            try PendingEmailTable.leases.acquire(upTo: count, to: holder, for: duration, at: now, transaction).map {
                row in
                let id: String = try row.get(.emailID)
                var mail: PendingEmail?
                do {
                    mail = try PendingEmail(
                        row,
                        content: try sealingKeys.open(
                            json: try row.get(.sealedEmail), binding: Self.sealedEmail.binding(.text(id))))
                } catch CryptoError.authenticationFailed {
                    mail = nil
                }
                return LeasedEmail(id: id, lease: try SQLLease(row), mail: mail)
            }
        }
    }

    /// Deletes an e-mail that needs no further attempt, whichever process holds the lease: the notifier has stored it.
    func deleteEmail(_ id: String) async throws {
        try await write { try $0.execute(PendingEmailTable.removal, [.emailID: id]) }
    }

    /// Ends the lease of an e-mail, which is due again at the given time. A lease that another process has acquired since stays.
    func releaseEmail(_ leased: LeasedEmail, dueAt: Moment, at now: Moment) async throws {
        try await write { transaction in
            _ = try PendingEmailTable.leases.end(leased.lease, dueAt: dueAt, at: now, transaction)
        }
    }

    /// Makes the e-mails of ended processes due.
    /// - Returns: the number of e-mails.
    func releaseEmails(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await write { transaction in
            try PendingEmailTable.leases.release(ofEndedProcesses: hasEnded, at: now, transaction)
        }
    }

    /// Deletes a batch of e-mails whose links have expired.
    /// - Returns: how many of them should have been sent, and whether there may be more.
    func deleteExpiredEmails(at now: Moment, batch: Int = 500) async throws -> (lost: Int, hasMore: Bool) {
        try await write { [sealingKeys] transaction in
            let rows = try transaction.rows(PendingEmailTable.removalOfExpired, [:], now, batch)
            let lost = try rows.count { row in
                let id: String = try row.get(.emailID)
                // `try?`: what cannot be read counts as lost.
                let content: PendingEmail.Content? = try? sealingKeys.open(
                    json: try row.get(.sealedEmail), binding: Self.sealedEmail.binding(.text(id)))
                return content?.isDecoy != true
            }
            return (lost, rows.count == batch)
        }
    }

    /// The number of e-mails that wait for the notifier, and when the oldest was stored.
    func emailBacklog() async throws -> Backlog {
        try await read { transaction in try Backlog(transaction.firstRow(PendingEmailTable.backlog)) }
    }
}

import Crypto
import Delivery
import FoundationEssentials
import JSON
import MasterKey
import SQL
import Vocabulary

/// A mail to be stored, and the action code of its link.
struct NewMail: Sendable {
    var mail: PendingMail
    /// Stored with the mail; nil for a mail without a link, and for a code that was already stored.
    var code: NewActionCode?
    /// For a notice to an address that this account has not proven: only `EmailQuota.perUnverifiedAccount` are stored.
    var unprovenAccount: AccountID?
}

/// The mails of a change of an account. Runs in the transaction of the change, possibly more than once, so it must have
/// no side effects.
typealias MailsOfChange = @Sendable (_ before: StoredAccount, _ after: StoredAccount) throws -> [NewMail]

/// A mail that this process may give to the notifier now.
struct LeasedMail: Sendable {
    var id: String
    var lease: SQLLease<PendingMailTable>
    /// Nil: the row is damaged, so the mail cannot be sent.
    var mail: PendingMail?
}

extension IdentityStore {
    static let sealedMail = SealedColumn(PendingMailTable.sealedMail)

    /// Stores mails with their codes, in the transaction of their cause.
    func enqueue(_ mails: [NewMail], _ transaction: borrowing SQLTransaction) throws {
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

    /// Stores a mail, in the transaction of its cause.
    func enqueue(_ mail: PendingMail, _ transaction: borrowing SQLTransaction) throws {
        let sealed = try sealingKeys.seal(
            Array(try WireJSON.encode(mail.content)), binding: Self.sealedMail.binding(.text(mail.id)))
        try transaction.execute(PendingMailTable.insertion, mail.columns + [.sealedMail: sealed])
    }

    func hasDueMails(at now: Moment) async throws -> Bool {
        try await read { transaction in try PendingMailTable.leases.hasDueRow(at: now, transaction) }
    }

    /// Leases mails that are due. No other process gets them until the lease ends.
    /// - Throws: `MasterKeyError.unknownKey`; then nothing is leased.
    func leaseMails(
        upTo count: Int, to holder: String, for duration: Duration, at now: Moment
    ) async throws -> [LeasedMail] {
        try await write { [sealingKeys] transaction in
            try PendingMailTable.leases.acquire(upTo: count, to: holder, for: duration, at: now, transaction).map {
                row in
                let id: String = try row.get(.mailID)
                var mail: PendingMail?
                do {
                    let json = try sealingKeys.open(
                        try row.get(.sealedMail), binding: Self.sealedMail.binding(.text(id)))
                    mail = try PendingMail(row, content: json)
                } catch CryptoError.authenticationFailed {
                    mail = nil
                }
                return LeasedMail(id: id, lease: try SQLLease(row), mail: mail)
            }
        }
    }

    /// Deletes a mail that needs no further attempt, whichever process holds the lease: the notifier has stored it.
    func deleteMail(_ id: String) async throws {
        try await write { try $0.execute(PendingMailTable.removal, [.mailID: id]) }
    }

    /// Ends the lease of a mail, which is due again at the given time. A lease that another process has acquired since stays.
    func releaseMail(_ leased: LeasedMail, dueAt: Moment, at now: Moment) async throws {
        try await write { transaction in
            _ = try PendingMailTable.leases.end(leased.lease, dueAt: dueAt, at: now, transaction)
        }
    }

    /// Makes the mails of ended processes due.
    /// - Returns: the number of mails.
    func releaseMails(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await write { transaction in
            try PendingMailTable.leases.release(ofEndedProcesses: hasEnded, at: now, transaction)
        }
    }

    /// Deletes a batch of mails whose links have expired.
    /// - Returns: how many of them should have been sent, and whether there may be more.
    func deleteExpiredMails(at now: Moment, batch: Int = 500) async throws -> (lost: Int, hasMore: Bool) {
        try await write { [sealingKeys] transaction in
            let rows = try transaction.rows(PendingMailTable.removalOfExpired, [:], now, batch)
            let lost = try rows.count { row in
                let id: String = try row.get(.mailID)
                // `try?`: what cannot be read counts as lost.
                let json = try? sealingKeys.open(
                    try row.get(.sealedMail), binding: Self.sealedMail.binding(.text(id)))
                let content = try json.map {
                    try WireJSON.decodeUnchecked(PendingMail.Content.self, from: Data($0))
                }
                return content?.isDecoy != true
            }
            return (lost, rows.count == batch)
        }
    }

    /// The number of mails that wait for the notifier, and when the oldest was stored.
    func mailBacklog() async throws -> Backlog {
        try await read { transaction in try Backlog(transaction.firstRow(PendingMailTable.backlog)) }
    }
}

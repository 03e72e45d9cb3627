import Crypto
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
enum LeasedMail: Equatable, Sendable {
    case readable(PendingMail)
    /// The row is damaged, so the mail cannot be sent.
    case unreadable(id: String)
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

    /// Leases mails that are due, the longest waiting first. No other process gets them until the lease ends.
    ///
    /// A mail whose pause or lease begins in the future was stored while the clock was ahead, and is due.
    /// - Throws: `MasterKeyError.unknownKey`; then nothing is leased.
    func leaseMails(
        upTo count: Int, to holder: String, for lease: Duration, at now: Moment
    ) async throws -> [LeasedMail] {
        let latest = now + Moment.pauseTolerance
        // Most polls find no mail, and a read does not block writers.
        let hasDue = try await read { transaction in
            try !transaction.rows(PendingMailTable.firstDue, [:], now, latest).isEmpty
        }
        guard hasDue else { return [] }
        return try await write { [sealingKeys] transaction in
            try transaction.rows(
                PendingMailTable.lease, [.dueAt: now + lease, .pausedAt: now, .leaseHolder: holder], now,
                latest, count
            ).map { row in
                let id: String = try row.get(.mailID)
                do {
                    let json = try sealingKeys.open(
                        try row.get(.sealedMail), binding: Self.sealedMail.binding(.text(id)))
                    return .readable(try PendingMail(row, content: json))
                } catch CryptoError.authenticationFailed {
                    return .unreadable(id: id)
                }
            }
        }
    }

    /// Deletes mails that need no further attempt, whichever process holds the lease: the notifier has stored them.
    func deleteMails(_ ids: [String]) async throws {
        guard !ids.isEmpty else { return }
        try await write { transaction in
            for id in ids { try transaction.execute(PendingMailTable.removal, [.mailID: id]) }
        }
    }

    /// Ends leases of this process: the mails are due again at the given times. A lease that another process has
    /// acquired since stays.
    func releaseMails(_ mails: [(mail: PendingMail, dueAt: Moment)], at now: Moment) async throws {
        guard !mails.isEmpty else { return }
        try await write { transaction in
            for (mail, dueAt) in mails {
                try transaction.execute(
                    PendingMailTable.release,
                    [.mailID: mail.id, .attempts: mail.attempts, .dueAt: dueAt, .pausedAt: now, .leaseHolder: nil])
            }
        }
    }

    /// Makes the mails of ended processes due.
    /// - Parameter isKnownDead: whether the process that wrote this lease holder has certainly ended.
    /// - Returns: the number of mails.
    func releaseMails(where isKnownDead: @Sendable @escaping (String) -> Bool, at now: Moment) async throws -> Int {
        try await write { transaction in
            let holders: [String] = try transaction.rows(PendingMailTable.leaseHolders).map {
                try $0.get(.leaseHolder)
            }
            var count = 0
            for holder in holders where isKnownDead(holder) {
                try transaction.execute(
                    PendingMailTable.releaseOfHolder, [.leaseHolder: holder, .dueAt: now, .pausedAt: now])
                count += transaction.changes
            }
            return count
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
    func mailBacklog() async throws -> (count: Int, oldest: Moment?) {
        try await read { transaction in
            let row = try transaction.firstRow(PendingMailTable.backlog)
            return (try row?.get(computed: "count") ?? 0, try row?.getIfPresent(computed: "oldest"))
        }
    }
}

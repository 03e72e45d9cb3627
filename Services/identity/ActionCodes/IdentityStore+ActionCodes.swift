import Contracts
import Crypto
import MasterKey
import SQL
import Vocabulary

/// A code to be stored.
struct NewActionCode: Sendable {
    var text: ActionCode.Text
    var code: ActionCode
    /// The code is for this account only; nil: for the account that has the address.
    var owner: AccountID?
    /// Stored sealed for test tools; nil outside dev mode.
    var readableLink: String?
}

extension IdentityStore {
    // MARK: Issuing

    /// Stores a code for the account of its address. It replaces older codes of the same purpose and address, and of
    /// the same factor: a second enrollment must not void the link that reverts the first.
    ///
    /// With `hidesUnknown`, an address without an account causes the same work: a code that is deleted again, and a
    /// mail that is never sent.
    /// - Parameters:
    ///   - isCounted: against the quotas of the address, of the client's network and of the project.
    ///   - network: of a client that named the address and has not signed in; nil for others.
    ///   - mail: to store with the code; may run more than once. It gets the account, if there is one.
    /// - Returns: the account; nil if there is none, and then only a code for a sign-in is kept.
    /// - Throws: `resetLimitExceeded`, `tooManyAttempts`, `quotaExceeded`, `emailExists`.
    func issue(
        _ new: NewActionCode, isCounted: Bool, from network: ClientNetwork?, hidesUnknown: Bool, audit: AuditEntry,
        mail: @Sendable @escaping (Account?, _ isDecoy: Bool) -> PendingMail?
    ) async throws -> Account? {
        let verdict: Result<Account?, IdentityError> = try await write { [self] transaction in
            let code = new.code
            var audit = audit
            if isCounted, let refusal = try count(code, from: network, transaction) {
                audit.outcome = .rateLimited
                try transaction.append(audit)
                return .failure(refusal)
            }
            let stored =
                if let owner = new.owner {
                    try transaction.account(owner, in: code.realm)
                } else {
                    try transaction.account(email: code.email, in: code.realm)
                }
            // Returned, not thrown, so that the count is stored.
            if code.purpose == .verifyAndChangeEmail, let newEmail = code.newEmail, stored != nil,
                try transaction.account(email: newEmail, in: code.realm) != nil
            {
                return .failure(.emailExists)
            }
            audit.accountID = stored?.account.id
            audit.outcome = stored == nil && code.purpose != .emailSignIn ? .refused : .succeeded
            try transaction.append(audit)
            let isDecoy = audit.outcome != .succeeded
            if isCounted { try countSent(isDecoy ? 0 : 1, code, transaction) }
            guard !isDecoy || hidesUnknown else { return .success(nil) }
            try insert(new, accountID: stored?.account.id, transaction)
            if hidesUnknown {
                // The same statement for every address; for a known one it deletes nothing.
                try transaction.execute(
                    "DELETE FROM action_codes WHERE code_hash = $1", .blob(isDecoy ? new.text.hash : []))
            }
            if let mail = mail(stored?.account, isDecoy) { try enqueue(mail, transaction) }
            return .success(stored?.account)
        }
        return try verdict.get()
    }

    /// Counts an e-mail against the quotas of its address and of the client's network.
    /// - Returns: the error, if a quota is exhausted; then nothing more was counted.
    private func count(
        _ code: ActionCode, from network: ClientNetwork?, _ transaction: borrowing SQLTransaction
    ) throws -> IdentityError? {
        func reserve(_ subject: String, _ network: ClientNetwork?, _ limit: Int, in realm: Realm) throws -> Moment? {
            try transaction.reserve(
                digest(Array(subject.utf8) + (network?.bytes ?? [])), limit, within: EmailQuota.addressWindow,
                in: realm, at: code.createdAt)
        }
        func refusal(_ until: Moment) -> IdentityError {
            code.purpose == .passwordReset ? .resetLimitExceeded(until: until) : .tooManyAttempts(until: until)
        }
        let project = Realm(project: code.realm.project)
        if let network {
            if let until = try reserve("network/", network, EmailQuota.perNetwork, in: project) {
                return .tooManyAttempts(until: until)
            }
            let subject = "network/\(network.bytes.count)/\(code.email.folded)/"
            if let until = try reserve(subject, network, EmailQuota.perAddressAndNetwork, in: code.realm) {
                return refusal(until)
            }
        }
        let address = "\(code.purpose.rawValue)/\(code.email.folded)"
        if let until = try reserve(address, nil, EmailQuota.perAddress, in: code.realm) { return refusal(until) }
        // Before any lookup: the error is the same for every address.
        return try transaction.quota(sentInProject, in: project, at: code.createdAt).isFull(
            EmailQuota.perProject, within: EmailQuota.projectWindow, at: code.createdAt
        ).map { .quotaExceeded(until: $0) }
    }

    /// Counts a code against the quota of its project if it was sent. For one that was not sent it takes the same time.
    private func countSent(
        _ number: Int, _ code: ActionCode, _ transaction: borrowing SQLTransaction
    ) throws {
        let project = Realm(project: code.realm.project)
        var quota = try transaction.quota(sentInProject, in: project, at: code.createdAt)
        if code.createdAt >= quota.windowBeganAt + EmailQuota.projectWindow { quota = .empty(at: code.createdAt) }
        quota.count += number
        try transaction.upsert(quota, sentInProject, in: project)
    }

    private var sentInProject: [UInt8] { digest(Array("project".utf8)) }

    func insert(
        _ new: NewActionCode, accountID: AccountID?, _ transaction: borrowing SQLTransaction
    ) throws {
        let code = new.code
        try transaction.execute(
            """
            DELETE FROM action_codes
            WHERE project = $1 AND tenant = $2 AND purpose = $3 AND email_folded = $4 AND COALESCE(factor_id, '') = $5
            """, .text(code.realm.project.rawValue), .text(code.realm.tenantColumn), .text(code.purpose.rawValue),
            .text(code.email.folded), .text(code.factorID?.rawValue ?? ""))
        let sealedLink = try new.readableLink.map { link in
            try sealingKeys.seal(Array(link.utf8), binding: Self.sealedLink.binding(.blob(new.text.hash)))
        }
        try transaction.execute(
            """
            INSERT INTO action_codes (
                code_hash, project, tenant, purpose, account_id, email, email_folded, new_email, factor_id, created_at,
                expires_at, sealed_link)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """, .blob(new.text.hash), .text(code.realm.project.rawValue), .text(code.realm.tenantColumn),
            .text(code.purpose.rawValue), SQLValue(accountID?.rawValue), .text(code.email.rawValue),
            .text(code.email.folded), SQLValue(code.newEmail?.rawValue), SQLValue(code.factorID?.rawValue),
            .integer(code.createdAt.milliseconds), .integer(code.expiresAt.milliseconds), SQLValue(sealedLink))
    }

    // MARK: Reading

    /// A code with its account, if it has one.
    /// - Throws: `invalidActionCode` for an unknown code, or one of another realm.
    func actionCode(_ text: ActionCode.Text, in realm: Realm) async throws -> (code: ActionCode, account: Account?) {
        try await read { transaction in
            let code = try transaction.actionCode(text, in: realm)
            return (code, try code.accountID.flatMap { try transaction.account($0, in: realm)?.account })
        }
    }

    /// The codes of a realm with their links, oldest first. Codes without a stored link are omitted.
    func actionCodesWithLinks(in realm: Realm, at now: Moment, limit: Int) async throws -> [(ActionCode, link: String)]
    {
        try await read { [sealingKeys] transaction in
            let rows = try transaction.rows(
                """
                SELECT * FROM action_codes
                WHERE project = $1 AND tenant = $2 AND expires_at > $3 AND sealed_link IS NOT NULL
                ORDER BY sequence DESC LIMIT $4
                """, .text(realm.project.rawValue), .text(realm.tenantColumn), .integer(now.milliseconds),
                .integer(Int64(limit)))
            return try rows.reversed().map { row in
                let link = try sealingKeys.open(
                    try row.get("sealed_link"), binding: Self.sealedLink.binding(.blob(try row.get("code_hash"))))
                return (try ActionCode(row: row, in: realm), String(decoding: link, as: UTF8.self))
            }
        }
    }

    // MARK: Redeeming

    /// Checks a code, calls `change` for its account, and deletes the code, in one transaction: only one of several
    /// concurrent uses succeeds. `change` must be pure: it may run more than once. `mails` are stored with it.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `accountDisabled`, what `change` throws, `emailExists`.
    func redeem<Reply: Codable & Sendable>(
        _ text: ActionCode.Text, for purposes: Set<ActionCode.Purpose>, in realm: Realm, at now: Moment,
        audit: AuditEntry, once: IdempotentCall?,
        mails: @Sendable @escaping (ActionCode, _ before: StoredAccount, _ after: StoredAccount) throws -> [NewMail],
        _ change: @Sendable @escaping (ActionCode, inout StoredAccount) throws -> Reply
    ) async throws -> ChangeResult<Reply> {
        try await write(once: once) { [self] transaction in
            let code = try transaction.actionCode(text, in: realm)
            guard purposes.contains(code.purpose), let id = code.accountID,
                let before = try transaction.account(id, in: realm)
            else { throw IdentityError.invalidActionCode }
            try code.validate(before.account, at: now)
            var after = before
            let reply = try change(code, &after)
            let revocation = try transaction.update(after, insteadOf: before, at: now)
            if code.purpose == .recoverEmail {
                try transaction.applyRevocation(
                    .emailRecovered(code.email, bySequence: try transaction.sequence(of: text)), on: after.account)
            }
            try transaction.delete(text)
            try transaction.deleteActionCodes(code.purpose.revokedByUse, of: id, in: realm)
            // After the deletion of the codes that the use voids: an undo code of this change must stay.
            try enqueue(try mails(code, before, after), transaction)
            if code.purpose == .passwordReset {
                // Attempts at the former password do not count against the new one.
                try clearAttempts(of: code.email, in: realm, transaction)
            }
            var audit = audit
            audit.action = code.purpose.auditAction
            audit.actor = .account(id)
            audit.accountID = id
            try transaction.append(audit)
            return ChangeResult(reply: reply, revokesSessions: revocation.requiresEvent)
        }
    }

    /// Redeems a verification code to reject the verification: checks it, calls `change` for its account, and voids
    /// every code of the account, in one transaction. `change` must be pure: it may run more than once.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `accountDisabled`, what `change` throws.
    func rejectVerification<Reply: Codable & Sendable>(
        _ text: ActionCode.Text, in realm: Realm, at now: Moment, audit: AuditEntry, once: IdempotentCall?,
        _ change: @Sendable @escaping (ActionCode, inout StoredAccount) throws -> Reply
    ) async throws -> ChangeResult<Reply> {
        try await write(once: once) { transaction in
            let code = try transaction.actionCode(text, in: realm)
            guard code.purpose == .verifyEmail, let id = code.accountID,
                let before = try transaction.account(id, in: realm)
            else { throw IdentityError.invalidActionCode }
            try code.validate(before.account, at: now)
            var after = before
            let reply = try change(code, &after)
            let revocation = try transaction.update(after, insteadOf: before, at: now)
            try transaction.deleteActionCodes(ActionCode.Purpose.allCases, of: id, in: realm)
            var audit = audit
            audit.accountID = id
            try transaction.append(audit)
            return ChangeResult(reply: reply, revokesSessions: revocation.requiresEvent)
        }
    }
}

extension ActionCode.Purpose {
    fileprivate var auditAction: AuditEntry.Action {
        switch self {
        case .passwordReset: .passwordReset
        case .emailSignIn: .signIn
        case .verifyEmail: .emailVerified
        case .verifyAndChangeEmail: .emailChanged
        case .recoverEmail: .emailRecovered
        case .revertSecondFactorAddition: .factorReverted
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    borrowing func actionCode(_ text: ActionCode.Text, in realm: Realm) throws -> ActionCode {
        guard
            let row = try firstRow(
                "SELECT * FROM action_codes WHERE code_hash = $1 AND project = $2 AND tenant = $3",
                .blob(text.hash), .text(realm.project.rawValue), .text(realm.tenantColumn))
        else { throw IdentityError.invalidActionCode }
        return try ActionCode(row: row, in: realm)
    }

    /// The order in which codes were issued.
    fileprivate borrowing func sequence(of text: ActionCode.Text) throws -> Int64 {
        guard let row = try firstRow("SELECT sequence FROM action_codes WHERE code_hash = $1", .blob(text.hash)) else {
            throw IdentityError.invalidActionCode
        }
        return try row.get("sequence")
    }

    /// Deletes the undo codes of an account that a change of it has made void.
    borrowing func applyRevocation(_ revocation: UndoRevocation, on account: Account) throws {
        for purpose in ActionCode.Purpose.undoing {
            let found = try rows(
                "SELECT * FROM action_codes WHERE project = $1 AND tenant = $2 AND account_id = $3 AND purpose = $4",
                .text(account.realm.project.rawValue), .text(account.realm.tenantColumn), .text(account.id.rawValue),
                .text(purpose.rawValue))
            for row in found {
                let undo = UndoCode(
                    code: try ActionCode(row: row, in: account.realm), sequence: try row.get("sequence"))
                guard revocation.voids(undo) else { continue }
                try execute("DELETE FROM action_codes WHERE sequence = $1", .integer(undo.sequence))
            }
        }
    }

    borrowing func delete(_ text: ActionCode.Text) throws {
        try execute("DELETE FROM action_codes WHERE code_hash = $1", .blob(text.hash))
    }

    /// Deletes the codes of an account that a change of it has made void.
    borrowing func deleteActionCodes(_ purposes: [ActionCode.Purpose], of id: AccountID, in realm: Realm) throws {
        for purpose in purposes {
            try execute(
                "DELETE FROM action_codes WHERE project = $1 AND tenant = $2 AND account_id = $3 AND purpose = $4",
                .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue),
                .text(purpose.rawValue))
        }
    }

    fileprivate borrowing func reserve(
        _ subject: [UInt8], _ limit: Int, within window: Duration, in realm: Realm, at now: Moment
    ) throws -> Moment? {
        var quota = try quota(subject, in: realm, at: now)
        if let until = quota.reserve(limit, within: window, at: now) { return until }
        try upsert(quota, subject, in: realm)
        return nil
    }

    fileprivate borrowing func quota(_ subject: [UInt8], in realm: Realm, at now: Moment) throws -> EmailQuota {
        let row = try firstRow(
            """
            SELECT count, window_began_at FROM sending_quotas
            WHERE project = $1 AND tenant = $2 AND subject_digest = $3
            """, .text(realm.project.rawValue), .text(realm.tenantColumn), .blob(subject))
        guard let row else { return .empty(at: now) }
        return EmailQuota(
            count: try row.get("count"), windowBeganAt: Moment(milliseconds: try row.get("window_began_at")))
    }

    fileprivate borrowing func upsert(_ quota: EmailQuota, _ subject: [UInt8], in realm: Realm) throws {
        try execute(
            """
            INSERT INTO sending_quotas (project, tenant, subject_digest, count, window_began_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (project, tenant, subject_digest) DO UPDATE SET
                count = excluded.count, window_began_at = excluded.window_began_at
            """, .text(realm.project.rawValue), .text(realm.tenantColumn), .blob(subject),
            .integer(Int64(quota.count)), .integer(quota.windowBeganAt.milliseconds))
    }
}

extension ActionCode {
    fileprivate init(row: SQLRow, in realm: Realm) throws {
        guard let purpose = Purpose(rawValue: try row.get("purpose")), let email = EmailAddress(try row.get("email"))
        else { throw IdentityError.invalidActionCode }
        self.init(
            purpose, in: realm, accountID: try row.getIfPresent("account_id").map { AccountID($0) }, email: email,
            newEmail: try row.getIfPresent("new_email").flatMap(EmailAddress.init),
            factorID: try row.getIfPresent("factor_id").map { FactorID($0) },
            at: Moment(milliseconds: try row.get("created_at")))
        expiresAt = Moment(milliseconds: try row.get("expires_at"))
    }
}

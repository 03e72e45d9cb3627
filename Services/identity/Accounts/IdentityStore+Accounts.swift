import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    func account(_ id: AccountID, in realm: Realm) async throws -> StoredAccount? {
        guard realm.tenant == nil else { return try await read { try $0.account(id, in: realm) } }
        // Most accounts are one row, for which one query outside of a transaction suffices.
        guard let row = try await database.firstRow(AccountTable.byKey, SQLRecord(id, in: realm)) else { return nil }
        guard try row.isWholeAccount else { return try await read { try $0.account(id, in: realm) } }
        return try StoredAccount(row, id: id, in: realm, providers: [], secondFactors: [], passkeys: [])
    }

    /// Every account that matches, each once, in the order of the criteria.
    func accounts(_ criteria: [Identity.FindAccounts.Criterion], in realm: Realm) async throws -> [Account] {
        try await read { transaction in
            var seen: Set<AccountID> = []
            var found: [Account] = []
            for criterion in criteria {
                for id in try transaction.accountIDs(criterion, in: realm) where seen.insert(id).inserted {
                    if let stored = try transaction.account(id, in: realm) { found.append(stored.account) }
                }
            }
            return found
        }
    }

    /// The accounts with this address, the one whose own it is first, then those that have it at a provider.
    func accounts(withEmailOrProviderEmail email: EmailAddress, in realm: Realm) async throws -> [Account] {
        try await read { transaction in
            let own = try transaction.accountIDs(.email(email.rawValue), in: realm)
            let others = try transaction.accountIDs(
                linkedTo: email, in: realm, limit: Self.maximumAccountsOfAddress)
            var seen: Set<AccountID> = []
            return try (own + others).filter { seen.insert($0).inserted }.compactMap {
                try transaction.account($0, in: realm)?.account
            }
        }
    }

    /// Any number of accounts may have one address at their providers.
    private static var maximumAccountsOfAddress: Int64 { 20 }

    /// Adds an account for an administrator.
    /// - Throws: `accountIDExists` before `emailExists` and `phoneNumberExists`: an engine reports any of the indices.
    func create<Reply: Codable & Sendable>(
        _ account: StoredAccount, audit: AuditEntry, idempotency: IdempotentCall?, reply: Reply
    ) async throws -> Reply {
        try await write(idempotency: idempotency) { transaction in
            let (id, realm) = (account.account.id, account.account.realm)
            guard try transaction.accountIDs(.accountID(id), in: realm).isEmpty else {
                throw ServiceError(.accountIDExists)
            }
            try transaction.create(account, at: audit.at)
            try transaction.append(audit)
            return reply
        }
    }

    /// Adds the account of a user, and opens its first session.
    /// - Throws: those of `create`, `quotaExceeded`, and errors of `BlockingFunctionResponses.apply`.
    func signUp(
        _ account: StoredAccount, session: Session, refreshToken: RefreshToken, within quota: SignUpQuota?,
        _ responses: BlockingFunctionResponses, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> OpenedSession {
        try await write(idempotency: idempotency) { transaction in
            if let quota { try transaction.count(quota) }
            var account = account
            try transaction.create(&account, responses, session.authentication, at: session.createdAt)
            try transaction.append(audit)
            return try transaction.open(session, refreshToken, of: &account, responses, nil)
        }
    }

    /// Reads, changes and writes one account in one transaction, and ends the sessions that the change ends.
    /// - Parameters:
    ///   - change: must be pure: it may run more than once.
    ///   - session: to open for the account as it is after the change, with the reply of the change.
    ///   - mails: stored with the change.
    /// - Throws: what `change` throws, `accountNotFound`, and the collisions of `create`.
    func change<Reply: Codable & Sendable>(
        _ id: AccountID, in realm: Realm, audit: AuditEntry, idempotency: IdempotentCall?,
        session: @Sendable @escaping (StoredAccount, Reply) -> Session? = { _, _ in nil },
        mails: @escaping EmailsOfChange = { _, _ in [] },
        _ change: @Sendable @escaping (inout StoredAccount) throws -> Reply
    ) async throws -> ChangeResult<Reply> {
        try await write(idempotency: idempotency) { [self] transaction in
            guard let before = try transaction.account(id, in: realm) else { throw ServiceError(.accountNotFound) }
            var after = before
            let reply = try change(&after)
            let revocation = try transaction.update(after, insteadOf: before, at: audit.at)
            if let session = session(after, reply) { try transaction.insert(session) }
            try enqueue(try mails(before, after), transaction)
            try transaction.append(audit)
            return ChangeResult(reply: reply, revokesSessions: revocation.requiresEvent)
        }
    }

    /// Opens a session of an account, and creates the account first if there is none with its ID. `change` must be pure:
    /// it may run more than once.
    /// - Parameter reply: gets the session, and whether the account is new.
    /// - Throws: errors of `change` and of `BlockingFunctionResponses.apply`, and `tenantNotFound`.
    func signIn<Reply: Codable & Sendable>(
        _ blank: StoredAccount, session: Session, refreshToken: RefreshToken, _ responses: BlockingFunctionResponses,
        audit: @Sendable @escaping (_ isNew: Bool) -> AuditEntry, idempotency: IdempotentCall?,
        reply: @Sendable @escaping (OpenedSession, _ isNew: Bool) -> Reply,
        _ change: @Sendable @escaping (inout StoredAccount) throws -> Void
    ) async throws -> Reply {
        try await write(idempotency: idempotency) { transaction in
            let known = try transaction.account(blank.account.id, in: blank.account.realm)
            var account = known ?? blank
            try change(&account)
            if let known {
                _ = try transaction.update(account, insteadOf: known, at: session.createdAt)
            } else {
                try transaction.create(&account, responses, session.authentication, at: session.createdAt)
            }
            let opened = try transaction.open(session, refreshToken, of: &account, responses, nil)
            try transaction.append(audit(known == nil))
            return reply(opened, known == nil)
        }
    }

    /// Deletes an account with all its rows.
    /// - Throws: `accountNotFound`, and errors of `authorize`.
    func delete(
        _ id: AccountID, in realm: Realm, at now: Moment, audit: AuditEntry, idempotency: IdempotentCall?,
        authorize: @Sendable @escaping (StoredAccount) throws -> Void = { _ in }
    ) async throws {
        _ = try await write(idempotency: idempotency) { transaction in
            guard let stored = try transaction.account(id, in: realm) else { throw ServiceError(.accountNotFound) }
            try authorize(stored)
            try transaction.delete(stored.account, at: now)
            try transaction.append(audit)
            return EmptyReply()
        }
    }
}

/// The reply of a change, and whether the other processes must be informed.
struct ChangeResult<Reply: Codable & Sendable>: Codable, Sendable {
    var reply: Reply
    var revokesSessions: Bool
}

// MARK: - Rows

extension SQLTransaction {
    /// Counts one more account against a quota, in the transaction of its creation, so that only created accounts
    /// count.
    /// - Throws: `quotaExceeded`.
    borrowing func count(_ quota: SignUpQuota) throws {
        for subject in quota.subjects {
            let row = try firstRow(
                SignUpCountTable.increment, [.subjectDigest: subject.digest, .endsAt: quota.endsAt])
            let count: Int64 = try row?.get(.count) ?? 0
            guard count <= subject.limit else {
                throw ServiceError.limited(by: .signUpsPerNetwork, until: quota.endsAt)
            }
        }
    }
}

extension SQLTransaction {
    /// Returns nil for a tenant that does not exist, even if rows of a deleted tenant are not deleted yet.
    borrowing func account(_ id: AccountID, in realm: Realm) throws -> StoredAccount? {
        guard try realmExists(realm), let row = try firstRow(AccountTable.byKey, SQLRecord(id, in: realm)) else {
            return nil
        }
        return try storedAccount(row, in: realm)
    }

    borrowing func account(email: EmailAddress, in realm: Realm) throws -> StoredAccount? {
        guard try realmExists(realm),
            let row = try firstRow(AccountTable.byEmail, SQLRecord(realm) + [.emailFolded: email.folded])
        else { return nil }
        return try storedAccount(row, in: realm)
    }

    /// Its sessions are ended and emptied, but kept until they are swept: a client with one of their tokens gets the error
    /// that the account is deleted, and signs out. The services that store something about the account are told.
    borrowing func delete(_ account: Account, at now: Moment) throws {
        try record([.deleted], of: account, at: now)
        try execute(AccountTable.removal, SQLRecord(account.id, in: account.realm))
        try execute(SessionTable.erasureOfAccount, SQLRecord(account.id, in: account.realm) + [.endedAt: now])
        if let email = account.email {
            // A link for a sign-in belongs to no account.
            try execute(
                ActionCodeTable.removalOfUnowned,
                SQLRecord(account.realm) + [
                    .purpose: ActionCode.Purpose.emailSignIn.rawValue, .emailFolded: email.folded,
                ])
        }
        if let number = account.phoneNumber {
            try execute(TemporaryProofTable.removalOfNumber, SQLRecord(account.realm) + [.phoneNumber: number.rawValue])
        }
        try execute(
            DeletedAccountTable.saving, SQLRecord(account.id, in: account.realm) + [.deletedAt: now])
    }

    /// Stores a new account, and its event.
    /// - Throws: those of `insert`.
    borrowing func create(_ stored: StoredAccount, at now: Moment) throws {
        var stored = stored
        stored.recordLinks(addedTo: nil, at: now)
        try insert(stored)
        try record([.created], of: stored.account, at: now)
    }

    /// Stores a new account without an event: for an import, and `create`.
    /// - Throws: `tenantNotFound` too: the tenant may have been deleted since the request was checked.
    borrowing func insert(_ stored: StoredAccount) throws {
        let account = stored.account
        guard try realmExists(account.realm) else { throw ServiceError(.tenantNotFound) }
        try mappingCollisions { try execute(AccountTable.insertion, stored.columns) }
        try insertLinks(of: stored)
        try insertFactors(of: account)
        try mappingCollisions { try insertPasskeys(of: account) }
    }

    /// Stores a changed account, ends the sessions that the change ends, and records the events of the change. Every change
    /// except an import uses this method.
    /// - Returns: what was ended; the service informs the other processes if necessary.
    borrowing func update(
        _ after: StoredAccount, insteadOf before: StoredAccount, at now: Moment
    ) throws -> SessionRevocation {
        let revocation = try replace(before, by: after, at: now)
        try record(AccountEventDraft.changes(from: before.account, to: after.account), of: after.account, at: now)
        return revocation
    }

    /// Stores a changed account with its factors and passkeys, and ends the sessions that the change ends, without an
    /// event: for an import, and `update`.
    borrowing func replace(
        _ before: StoredAccount, by after: StoredAccount, at now: Moment
    ) throws -> SessionRevocation {
        var after = after
        after.voidVerifiedIdentities(of: before, at: now)
        after.recordLinks(addedTo: before, at: now)
        try write(after, insteadOf: before)
        if after.account.secondFactors != before.account.secondFactors { try replaceFactors(of: after.account) }
        if after.account.passkeys != before.account.passkeys {
            try mappingCollisions { try replacePasskeys(of: after.account) }
        }
        if after.account.secondFactors.isEmpty, !before.account.secondFactors.isEmpty {
            // Recovery codes replace a factor, and there is none left.
            try removeRecoveryCodes(of: after.account.id, in: after.account.realm)
        }
        if let revocation = UndoRevocation(from: before.account, to: after.account) {
            try applyRevocation(revocation, on: after.account)
        }
        let revocation = SessionRevocation(before, after)
        try applyRevocation(revocation, to: after.account, at: now)
        return revocation
    }

    /// Stores what differs. Most sign-ins change only two times, and each further column has its indexes.
    private borrowing func write(_ after: StoredAccount, insteadOf before: StoredAccount) throws {
        guard after != before else { return }
        let account = after.account
        var signedIn = before
        signedIn.account.lastSignInAt = account.lastSignInAt
        signedIn.account.lastRefreshAt = account.lastRefreshAt
        if after == signedIn { return try recordSignIn(of: account) }
        try mappingCollisions { try execute(AccountTable.replacement, after.columns) }
        guard account.providers != before.account.providers || after.linkTimes != before.linkTimes else { return }
        try execute(ProviderLinkTable.removalOfAccount, SQLRecord(account.id, in: account.realm))
        try insertLinks(of: after)
    }

    /// Stores the times of the last sign-in and the last refresh.
    borrowing func recordSignIn(of account: Account) throws {
        try executeLater(
            AccountTable.signIn,
            SQLRecord(account.id, in: account.realm) + [
                .lastSignInAt: account.lastSignInAt, .lastRefreshAt: account.lastRefreshAt,
            ])
    }

    borrowing func accountIDs(_ criterion: Identity.FindAccounts.Criterion, in realm: Realm) throws -> [AccountID] {
        switch criterion {
        case .accountID(let id): try accountIDs(AccountTable.idByKey, SQLRecord(id, in: realm))
        case .email(let text):
            try accountIDs(AccountTable.idByEmail, SQLRecord(realm) + [.emailFolded: text.asciiLowercased])
        case .initialEmail(let text):
            try accountIDs(
                AccountTable.idByInitialEmail, SQLRecord(realm) + [.initialEmailFolded: text.asciiLowercased])
        case .phoneNumber(let text):
            try accountIDs(AccountTable.idByPhoneNumber, SQLRecord(realm) + [.phoneNumber: text])
        case .provider(let id, let accountID):
            try accountIDs(
                ProviderLinkTable.accountIDByKey,
                SQLRecord(realm) + [.providerID: id, .providerAccountID: accountID])
        }
    }

    private borrowing func accountIDs<Table: AccountKeyTable>(
        _ statement: SQLStatement<Table>, _ record: SQLRecord<Table>
    ) throws -> [AccountID] {
        try rows(statement, record).map { try $0.get(.accountID) }
    }

    /// The accounts with a link of this address, at most `limit`.
    fileprivate borrowing func accountIDs(linkedTo email: EmailAddress, in realm: Realm, limit: Int64) throws
        -> [AccountID]
    {
        try rows(
            ProviderLinkTable.accountIDsByEmail, SQLRecord(realm) + [.emailFolded: email.folded], limit
        ).map { try $0.get(.accountID) }
    }

    private borrowing func insertLinks(of stored: StoredAccount) throws {
        let account = stored.account
        for (position, link) in account.providers.enumerated() {
            try mappingCollisions {
                try execute(
                    ProviderLinkTable.insertion,
                    SQLRecord(account.id, in: account.realm) + link.columns + [
                        .position: position, .linkedAt: stored.linkTimes[link.providerID],
                    ])
            }
        }
    }

    private borrowing func replaceFactors(of account: Account) throws {
        try execute(SecondFactorTable.removalOfAccount, SQLRecord(account.id, in: account.realm))
        try insertFactors(of: account)
    }

    private borrowing func insertFactors(of account: Account) throws {
        for factor in account.secondFactors {
            try execute(SecondFactorTable.insertion, SQLRecord(account.id, in: account.realm) + factor.columns)
        }
    }

    /// - Parameter row: of `AccountTable.selection`.
    borrowing func storedAccount(_ row: SQLTableRow<AccountTable>, in realm: Realm) throws -> StoredAccount {
        let id: AccountID = try row.get(.accountID)
        var links: [ProviderLink] = []
        var linkTimes: [String: Moment] = [:]
        if try row.get(computed: "has_links") {
            for row in try rows(ProviderLinkTable.ofAccount, SQLRecord(id, in: realm)) {
                let link = try ProviderLink(row)
                links.append(link)
                linkTimes[link.providerID] = try row.getIfPresent(.linkedAt)
            }
        }
        var factors: [SecondFactor] = []
        if try row.get(computed: "has_factors") {
            factors = try rows(SecondFactorTable.ofAccount, SQLRecord(id, in: realm)).map { try SecondFactor($0) }
        }
        var passkeys: [AccountPasskey] = []
        if try row.get(computed: "has_passkeys") { passkeys = try self.passkeys(of: id, in: realm) }
        return try StoredAccount(
            row, id: id, in: realm, providers: links, linkTimes: linkTimes, secondFactors: factors,
            passkeys: passkeys)
    }

    /// The unique indices decide between concurrent writes. Each collision has its own error.
    private borrowing func mappingCollisions(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch SQLError.uniqueViolation(let columns) {
            if columns.contains("accounts.email_folded") { throw ServiceError(.emailExists) }
            if columns.contains("accounts.phone_number") { throw ServiceError(.phoneNumberExists) }
            if columns.contains("accounts.account_id") { throw ServiceError(.accountIDExists) }
            if columns.contains("provider_links.") { throw ServiceError(.providerAccountExists) }
            if columns.contains("passkeys.") { throw ServiceError(.passkeyExists) }
            throw SQLError.uniqueViolation(columns)
        }
    }
}

extension SQLTableRow<AccountTable> {
    /// Whether no other table has rows of the account. For a row of `AccountTable.selection`.
    fileprivate var isWholeAccount: Bool {
        get throws(SQLError) {
            let (links, factors, passkeys): (Bool, Bool, Bool) = (
                try get(computed: "has_links"), try get(computed: "has_factors"), try get(computed: "has_passkeys")
            )
            return !links && !factors && !passkeys
        }
    }
}

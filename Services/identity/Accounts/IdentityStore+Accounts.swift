import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    func account(_ id: AccountID, in realm: Realm) async throws -> StoredAccount? {
        try await read { transaction in try transaction.account(id, in: realm) }
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

    /// Adds an account, and the session of its owner if there is one.
    /// - Throws: `emailExists`, `phoneNumberExists`, `accountIDExists`, `providerAccountExists`, `quotaExceeded`.
    func create<Reply: Codable & Sendable>(
        _ account: StoredAccount, session: Session? = nil, within quota: SignUpQuota? = nil, audit: AuditEntry,
        once: IdempotentCall?, reply: Reply
    ) async throws -> Reply {
        try await write(once: once) { transaction in
            if let quota { try transaction.count(quota) }
            try transaction.insert(account)
            if let session { try transaction.insert(session) }
            try transaction.append(audit)
            return reply
        }
    }

    /// Reads, changes and writes one account in one transaction, and ends the sessions that the change ends.
    /// - Parameters:
    ///   - change: must be pure: it may run more than once.
    ///   - session: to open for the account as it is after the change, with the reply of the change.
    ///   - mails: stored with the change.
    /// - Throws: what `change` throws, `accountNotFound`, and the collisions of `create`.
    func change<Reply: Codable & Sendable>(
        _ id: AccountID, in realm: Realm, audit: AuditEntry, once: IdempotentCall?,
        session: @Sendable @escaping (StoredAccount, Reply) -> Session? = { _, _ in nil },
        mails: @escaping MailsOfChange = { _, _ in [] },
        _ change: @Sendable @escaping (inout StoredAccount) throws -> Reply
    ) async throws -> ChangeResult<Reply> {
        try await write(once: once) { [self] transaction in
            guard let before = try transaction.account(id, in: realm) else { throw IdentityError.accountNotFound }
            var after = before
            let reply = try change(&after)
            let revocation = try transaction.update(after, insteadOf: before, at: audit.at)
            if let session = session(after, reply) { try transaction.insert(session) }
            try enqueue(try mails(before, after), transaction)
            try transaction.append(audit)
            return ChangeResult(reply: reply, revokesSessions: revocation.requiresEvent)
        }
    }

    /// Opens a session of an account, and creates the account first if there is none with its ID. `judge` must be pure:
    /// it may run more than once. Its parameter says whether the account is new.
    /// - Throws: errors of `judge`, and `tenantNotFound`.
    func signIn<Reply: Codable & Sendable>(
        _ blank: StoredAccount, session: Session, audit: @Sendable @escaping (_ isNew: Bool) -> AuditEntry,
        once: IdempotentCall?, _ judge: @Sendable @escaping (inout StoredAccount, _ isNew: Bool) throws -> Reply
    ) async throws -> Reply {
        try await write(once: once) { transaction in
            let known = try transaction.account(blank.account.id, in: blank.account.realm)
            var account = known ?? blank
            let reply = try judge(&account, known == nil)
            if let known {
                _ = try transaction.update(account, insteadOf: known, at: session.createdAt)
            } else {
                try transaction.insert(account)
            }
            try transaction.insert(session)
            try transaction.append(audit(known == nil))
            return reply
        }
    }

    /// Deletes an account with all its rows.
    /// - Throws: `accountNotFound`, and errors of `permit`.
    func delete(
        _ id: AccountID, in realm: Realm, at now: Moment, audit: AuditEntry, once: IdempotentCall?,
        permit: @Sendable @escaping (StoredAccount) throws -> Void = { _ in }
    ) async throws {
        _ = try await write(once: once) { transaction in
            guard let stored = try transaction.account(id, in: realm) else { throw IdentityError.accountNotFound }
            try permit(stored)
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
    fileprivate borrowing func count(_ quota: SignUpQuota) throws {
        let row = try firstRow(
            """
            INSERT INTO sign_up_counts (counter, count, ends_at) VALUES ($1, 1, $2)
            ON CONFLICT (counter) DO UPDATE SET count = sign_up_counts.count + 1
            RETURNING count
            """, .blob(quota.counter), .integer(quota.endsAt.milliseconds))
        let count: Int64 = try row?.get("count") ?? 0
        guard count <= quota.limit else { throw IdentityError.quotaExceeded(until: quota.endsAt) }
    }
}

extension SQLTransaction {
    /// An account, and whether it has links or factors: most accounts have none, and an empty read would cost time.
    private static let accountColumns = """
        SELECT accounts.*,
            CASE WHEN EXISTS (SELECT 1 FROM provider_links AS l WHERE l.project = accounts.project
                AND l.tenant = accounts.tenant AND l.account_id = accounts.account_id) THEN 1 ELSE 0 END AS has_links,
            CASE WHEN EXISTS (SELECT 1 FROM second_factors AS f WHERE f.project = accounts.project
                AND f.tenant = accounts.tenant AND f.account_id = accounts.account_id) THEN 1 ELSE 0 END AS has_factors
        FROM accounts
        """

    /// Returns nil for a tenant that does not exist, even if rows of a deleted tenant are not deleted yet.
    borrowing func account(_ id: AccountID, in realm: Realm) throws -> StoredAccount? {
        guard try realmExists(realm),
            let row = try firstRow(
                Self.accountColumns + " WHERE project = $1 AND tenant = $2 AND account_id = $3",
                .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue))
        else { return nil }
        return try storedAccount(row, in: realm)
    }

    borrowing func account(email: EmailAddress, in realm: Realm) throws -> StoredAccount? {
        guard try realmExists(realm),
            let row = try firstRow(
                Self.accountColumns + " WHERE project = $1 AND tenant = $2 AND email_folded = $3",
                .text(realm.project.rawValue), .text(realm.tenantColumn), .text(email.folded))
        else { return nil }
        return try storedAccount(row, in: realm)
    }

    /// - Parameter clause: `WHERE`, `ORDER BY` and so on; fixed text.
    borrowing func accounts(_ clause: String, _ parameters: [SQLValue], in realm: Realm) throws -> [Account] {
        try rows(Self.accountColumns + " " + clause, parameters: parameters).map { row in
            try storedAccount(row, in: realm).account
        }
    }

    /// Its sessions are ended but kept until they are swept: a client with one of their tokens gets the error that the
    /// account is deleted, and signs out.
    borrowing func delete(_ account: Account, at now: Moment) throws {
        let key: [SQLValue] = [
            .text(account.realm.project.rawValue), .text(account.realm.tenantColumn), .text(account.id.rawValue),
        ]
        try execute("DELETE FROM accounts WHERE project = $1 AND tenant = $2 AND account_id = $3", parameters: key)
        try execute(
            """
            UPDATE sessions SET ended_at = $4
            WHERE project = $1 AND tenant = $2 AND account_id = $3 AND ended_at IS NULL
            """, parameters: key + [.integer(now.milliseconds)])
    }

    /// - Throws: `tenantNotFound` too: the tenant may have been deleted since the request was checked.
    borrowing func insert(_ stored: StoredAccount) throws {
        let account = stored.account
        guard try realmExists(account.realm) else { throw IdentityError.tenantNotFound }
        try mappingCollisions {
            try execute(
                """
                INSERT INTO accounts (
                    project, tenant, account_id, email, email_folded, initial_email, initial_email_folded,
                    email_verified, email_link_sign_in, display_name, photo_url, phone_number, disabled,
                    custom_authentication, password_record, password_changed_at, valid_since, created_at,
                    last_sign_in_at, last_refresh_at, custom_claims)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
                """, parameters: stored.columns)
        }
        try insertLinks(of: account)
        try insertFactors(of: account)
    }

    /// Stores a changed account with its factors, and ends the sessions that the change ends. Every change uses this
    /// method.
    /// - Returns: what was ended; the service informs the other processes if necessary.
    borrowing func update(
        _ after: StoredAccount, insteadOf before: StoredAccount, at now: Moment
    ) throws -> SessionRevocation {
        try update(after)
        if after.account.secondFactors != before.account.secondFactors { try replaceFactors(of: after.account) }
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

    /// Stores every column, and the links.
    private borrowing func update(_ stored: StoredAccount) throws {
        let account = stored.account
        try mappingCollisions {
            try execute(
                """
                UPDATE accounts SET
                    email = $4, email_folded = $5, initial_email = $6, initial_email_folded = $7, email_verified = $8,
                    email_link_sign_in = $9, display_name = $10, photo_url = $11, phone_number = $12, disabled = $13,
                    custom_authentication = $14, password_record = $15, password_changed_at = $16, valid_since = $17,
                    created_at = $18, last_sign_in_at = $19, last_refresh_at = $20, custom_claims = $21
                WHERE project = $1 AND tenant = $2 AND account_id = $3
                """, parameters: stored.columns)
        }
        try execute(
            "DELETE FROM provider_links WHERE project = $1 AND tenant = $2 AND account_id = $3",
            .text(account.realm.project.rawValue), .text(account.realm.tenantColumn), .text(account.id.rawValue))
        try insertLinks(of: account)
    }

    borrowing func accountIDs(_ criterion: Identity.FindAccounts.Criterion, in realm: Realm) throws -> [AccountID] {
        let (project, tenant) = (SQLValue.text(realm.project.rawValue), SQLValue.text(realm.tenantColumn))
        let found =
            switch criterion {
            case .accountID(let id):
                try rows(
                    "SELECT account_id FROM accounts WHERE project = $1 AND tenant = $2 AND account_id = $3",
                    project, tenant, .text(id.rawValue))
            case .email(let text):
                try rows(
                    "SELECT account_id FROM accounts WHERE project = $1 AND tenant = $2 AND email_folded = $3",
                    project, tenant, .text(text.asciiLowercased))
            case .initialEmail(let text):
                try rows(
                    "SELECT account_id FROM accounts WHERE project = $1 AND tenant = $2 AND initial_email_folded = $3",
                    project, tenant, .text(text.asciiLowercased))
            case .phoneNumber(let text):
                try rows(
                    "SELECT account_id FROM accounts WHERE project = $1 AND tenant = $2 AND phone_number = $3",
                    project, tenant, .text(text))
            case .provider(let id, let accountID):
                try rows(
                    """
                    SELECT account_id FROM provider_links
                    WHERE project = $1 AND tenant = $2 AND provider_id = $3 AND provider_account_id = $4
                    """, project, tenant, .text(id), .text(accountID))
            }
        return try found.map { AccountID(try $0.get("account_id")) }
    }

    private borrowing func insertLinks(of account: Account) throws {
        for (position, link) in account.providers.enumerated() {
            try mappingCollisions {
                try execute(
                    """
                    INSERT INTO provider_links (
                        project, tenant, provider_id, provider_account_id, account_id, position, email, display_name,
                        photo_url)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                    """, .text(account.realm.project.rawValue), .text(account.realm.tenantColumn),
                    .text(link.providerID), .text(link.providerAccountID), .text(account.id.rawValue),
                    .integer(Int64(position)), SQLValue(link.email), SQLValue(link.displayName),
                    SQLValue(link.photoURL))
            }
        }
    }

    private borrowing func replaceFactors(of account: Account) throws {
        try execute(
            "DELETE FROM second_factors WHERE project = $1 AND tenant = $2 AND account_id = $3",
            .text(account.realm.project.rawValue), .text(account.realm.tenantColumn), .text(account.id.rawValue))
        try insertFactors(of: account)
    }

    private borrowing func insertFactors(of account: Account) throws {
        for factor in account.secondFactors {
            let (kind, number): (String, PhoneNumber?) =
                switch factor.kind {
                case .phone(let number): ("phone", number)
                case .totp: ("totp", nil)
                }
            try execute(
                """
                INSERT INTO second_factors (
                    project, tenant, account_id, factor_id, kind, phone_number, display_name, enrolled_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """, .text(account.realm.project.rawValue), .text(account.realm.tenantColumn),
                .text(account.id.rawValue), .text(factor.id.rawValue), .text(kind), SQLValue(number?.rawValue),
                SQLValue(factor.displayName), .integer(factor.enrolledAt.milliseconds))
        }
    }

    private borrowing func storedAccount(_ row: SQLRow, in realm: Realm) throws -> StoredAccount {
        let id = AccountID(try row.get("account_id"))
        let key: [SQLValue] = [.text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue)]
        var links: [SQLRow] = []
        if try row.get("has_links") {
            links = try rows(
                """
                SELECT provider_id, provider_account_id, email, display_name, photo_url FROM provider_links
                WHERE project = $1 AND tenant = $2 AND account_id = $3 ORDER BY position
                """, parameters: key)
        }
        var factors: [SQLRow] = []
        if try row.get("has_factors") {
            factors = try rows(
                """
                SELECT factor_id, kind, phone_number, display_name, enrolled_at FROM second_factors
                WHERE project = $1 AND tenant = $2 AND account_id = $3 ORDER BY enrolled_at, factor_id
                """, parameters: key)
        }
        return try StoredAccount(
            account: Account(
                id: id, realm: realm, email: row.getIfPresent("email").flatMap(EmailAddress.init),
                initialEmail: row.getIfPresent("initial_email").flatMap(EmailAddress.init),
                emailVerified: row.get("email_verified"), emailLinkSignIn: row.get("email_link_sign_in"),
                displayName: row.getIfPresent("display_name"), photoURL: row.getIfPresent("photo_url"),
                phoneNumber: row.getIfPresent("phone_number").flatMap(PhoneNumber.init),
                disabled: row.get("disabled"), customAuthentication: row.get("custom_authentication"),
                passwordChangedAt: row.getIfPresent("password_changed_at").map(Moment.init(milliseconds:)),
                validSince: Timestamp(seconds: row.get("valid_since")),
                createdAt: Moment(milliseconds: row.get("created_at")),
                lastSignInAt: row.getIfPresent("last_sign_in_at").map(Moment.init(milliseconds:)),
                lastRefreshAt: row.getIfPresent("last_refresh_at").map(Moment.init(milliseconds:)),
                customClaims: row.getIfPresent("custom_claims"), providers: links.map(ProviderLink.init(row:)),
                secondFactors: factors.map(SecondFactor.init(row:))),
            passwordRecord: row.getIfPresent("password_record"))
    }

    /// The unique indices decide between concurrent writes. Each collision has its own error.
    private borrowing func mappingCollisions(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch SQLError.uniqueViolation(let columns) {
            if columns.contains("accounts.email_folded") { throw IdentityError.emailExists }
            if columns.contains("accounts.phone_number") { throw IdentityError.phoneNumberExists }
            if columns.contains("accounts.account_id") { throw IdentityError.accountIDExists }
            if columns.contains("provider_links.") { throw IdentityError.providerAccountExists }
            throw SQLError.uniqueViolation(columns)
        }
    }
}

extension StoredAccount {
    /// In the order of `INSERT` and `UPDATE`.
    fileprivate var columns: [SQLValue] {
        [
            .text(account.realm.project.rawValue), .text(account.realm.tenantColumn), .text(account.id.rawValue),
            SQLValue(account.email?.rawValue), SQLValue(account.email?.folded),
            SQLValue(account.initialEmail?.rawValue), SQLValue(account.initialEmail?.folded),
            SQLValue(account.emailVerified), SQLValue(account.emailLinkSignIn), SQLValue(account.displayName),
            SQLValue(account.photoURL), SQLValue(account.phoneNumber?.rawValue), SQLValue(account.disabled),
            SQLValue(account.customAuthentication), SQLValue(passwordRecord),
            SQLValue(account.passwordChangedAt?.milliseconds), .integer(account.validSince.seconds),
            .integer(account.createdAt.milliseconds), SQLValue(account.lastSignInAt?.milliseconds),
            SQLValue(account.lastRefreshAt?.milliseconds), SQLValue(account.customClaims),
        ]
    }
}

extension ProviderLink {
    fileprivate init(row: SQLRow) throws {
        self.init(
            providerID: try row.get("provider_id"), providerAccountID: try row.get("provider_account_id"),
            email: try row.getIfPresent("email"), displayName: try row.getIfPresent("display_name"),
            photoURL: try row.getIfPresent("photo_url"))
    }
}

extension SecondFactor {
    fileprivate init(row: SQLRow) throws {
        let number: String? = try row.getIfPresent("phone_number")
        self.init(
            id: FactorID(try row.get("factor_id")), kind: number.flatMap(PhoneNumber.init).map(Kind.phone) ?? .totp,
            displayName: try row.getIfPresent("display_name"),
            enrolledAt: Moment(milliseconds: try row.get("enrolled_at")))
    }
}

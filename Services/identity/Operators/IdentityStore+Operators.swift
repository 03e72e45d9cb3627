import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    /// Gives a role to the operator with this address, and adds the account first if there is none.
    /// - Parameter blank: the account of a new operator.
    /// - Throws: `projectNotFound` for a role in a project that does not exist.
    /// - Returns: whether the operator is new.
    func grant(
        _ grant: Identity.OperatorGrant, to blank: StoredAccount, email: EmailAddress,
        audit: @Sendable @escaping (AccountID) -> AuditEntry
    ) async throws -> (operator: Identity.Operator, isNew: Bool) {
        try await write { transaction in
            if let project = grant.project, try project == .operators || transaction.project(project) == nil {
                throw ServiceError(.projectNotFound)
            }
            let known = try transaction.account(email: email, in: .operators)
            let id = (known ?? blank).account.id
            let entry = audit(id)
            if known == nil { try transaction.create(blank, at: entry.at) }
            let former = try transaction.grants(of: id).first { $0.project == grant.project }
            try transaction.execute(
                OperatorGrantTable.replacement, SQLRecord(id, in: .operators) + grant.columns)
            if let former, grant.role < former.role {
                try transaction.execute(OperatorSessionTable.removalOfAccount, SQLRecord(id, in: .operators))
            }
            try transaction.append(entry)
            guard let found = try transaction.operator(id) else { throw ServiceError(.accountNotFound) }
            return (found, known == nil)
        }
    }

    /// Removes what an operator signs in with, and ends every session.
    /// - Throws: `accountNotFound`.
    func resetOperator(
        _ email: EmailAddress, audit: @Sendable @escaping (AccountID) -> AuditEntry
    ) async throws -> AccountID {
        try await write { transaction in
            guard let before = try transaction.account(email: email, in: .operators) else {
                throw ServiceError(.accountNotFound)
            }
            let id = before.account.id
            let entry = audit(id)
            var after = before
            after.passwordRecord = nil
            after.account.secondFactors = []
            after.account.passkeys = []
            after.endEarlierSessions(at: entry.at)
            _ = try transaction.update(after, insteadOf: before, at: entry.at)
            try transaction.execute(OperatorSessionTable.removalOfAccount, SQLRecord(id, in: .operators))
            try transaction.append(entry)
            return id
        }
    }

    /// Removes a role of an operator, or the operator: without the last role, too.
    /// - Throws: `accountNotFound` if there is no such operator or role.
    func removeOperator(
        _ email: EmailAddress, project: ProjectID?, idempotency: IdempotentCall?,
        audit: @Sendable @escaping (AccountID) -> AuditEntry
    ) async throws {
        _ = try await write(idempotency: idempotency) { transaction in
            guard let stored = try transaction.account(email: email, in: .operators) else {
                throw ServiceError(.accountNotFound)
            }
            let id = stored.account.id
            let entry = audit(id)
            let key = SQLRecord<OperatorGrantTable>(id, in: .operators)
            if let project {
                try transaction.execute(OperatorGrantTable.removal, key + [.scope: project])
                guard transaction.changes == 1 else { throw ServiceError(.accountNotFound) }
            }
            if try project == nil || transaction.grants(of: id).isEmpty {
                try transaction.delete(stored.account, at: entry.at)
            } else {
                try transaction.execute(OperatorSessionTable.removalOfAccount, SQLRecord(id, in: .operators))
            }
            try transaction.append(entry)
            return EmptyReply()
        }
    }

    /// Ordered by address.
    func operators() async throws -> [Identity.Operator] {
        try await read { transaction in
            try transaction.rows(OperatorGrantTable.accounts, SQLRecord(.operators))
                .compactMap { try transaction.operator(try $0.get(.accountID)) }
                .sorted { $0.email.folded < $1.email.folded }
        }
    }
}

// MARK: - Sessions

extension IdentityStore {
    /// Opens a session of the console in the place of the session of the sign-in, and of that of the same browser.
    /// - Throws: `accountNotFound` for an account without a role.
    func open(_ session: OperatorSession, insteadOf formerHash: [UInt8]?, audit: AuditEntry) async throws {
        try await write { transaction in
            guard let stored = try transaction.account(session.accountID, in: .operators),
                try transaction.operator(session.accountID) != nil
            else { throw ServiceError(.accountNotFound) }
            try transaction.endSessions(of: stored.account, at: audit.at)
            if let formerHash {
                try transaction.execute(
                    OperatorSessionTable.removal,
                    SQLRecord(session.accountID, in: .operators) + [.tokenHash: formerHash])
            }
            try transaction.execute(OperatorSessionTable.insertion, session.columns)
            try transaction.append(audit)
        }
    }

    /// An active session and its operator, who has a role and is not disabled.
    func operatorSession(
        _ tokenHash: [UInt8], at now: Moment
    ) async throws -> (session: OperatorSession, operator: Identity.Operator)? {
        try await read { transaction in
            guard
                let session = try transaction.firstRow(OperatorSessionTable.byKey, [.tokenHash: tokenHash])
                    .map({ try OperatorSession($0) }), session.isActive(at: now),
                let found = try transaction.operator(session.accountID)
            else { return nil }
            return (session, found)
        }
    }

    func recordUse(of session: OperatorSession, at now: Moment) async throws {
        try await write { transaction in
            try transaction.execute(OperatorSessionTable.use, [.tokenHash: session.tokenHash, .lastUsedAt: now])
        }
    }

    /// The active ones, the latest used first.
    func operatorSessions(of id: AccountID, at now: Moment, limit: Int) async throws -> [OperatorSession] {
        try await read { transaction in
            try transaction.rows(OperatorSessionTable.ofAccount, SQLRecord(id, in: .operators), Int64(limit))
                .map { try OperatorSession($0) }.filter { $0.isActive(at: now) }
        }
    }

    /// - Parameter tokenHash: nil for every session.
    func endOperatorSessions(of id: AccountID, _ tokenHash: [UInt8]?, audit: AuditEntry) async throws {
        try await write { transaction in
            let key = SQLRecord<OperatorSessionTable>(id, in: .operators)
            if let tokenHash {
                try transaction.execute(OperatorSessionTable.removal, key + [.tokenHash: tokenHash])
            } else {
                try transaction.execute(OperatorSessionTable.removalOfAccount, key)
            }
            if transaction.changes > 0 { try transaction.append(audit) }
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    borrowing func grants(of id: AccountID) throws -> [Identity.OperatorGrant] {
        try rows(OperatorGrantTable.ofAccount, SQLRecord(id, in: .operators)).map { try Identity.OperatorGrant($0) }
    }

    /// - Returns: nil for an account without a role, a disabled one, and one without an address.
    borrowing func `operator`(_ id: AccountID) throws -> Identity.Operator? {
        let grants = try grants(of: id)
        guard !grants.isEmpty, let account = try account(id, in: .operators)?.account, !account.disabled,
            account.deletionDueAt == nil,
            let email = account.email
        else { return nil }
        return Identity.Operator(
            accountID: id, email: email, grants: grants,
            hasSecondFactor: !account.secondFactors.isEmpty || !account.passkeys.isEmpty,
            createdAt: account.createdAt, lastSignInAt: account.lastSignInAt)
    }
}

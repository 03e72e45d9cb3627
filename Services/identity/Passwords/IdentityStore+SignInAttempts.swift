import Contracts
import Crypto
import SQL
import Vocabulary

/// An attempt that was counted, before its password is compared.
struct ReservedAttempt: Sendable {
    /// The account of the address.
    var stored: StoredAccount?
    var decision: AttemptBudgets.Decision
    /// The counters of the attempt.
    fileprivate var charged: [[UInt8]]

    /// Whether the password is compared.
    var isEvaluated: Bool {
        switch decision {
        case .evaluated, .evaluatedAsLimited: true
        case .refused: false
        }
    }
}

extension IdentityStore {
    /// Counts an attempt at the password of an address before it is evaluated, and loads the account of the address.
    /// - Throws: `tooManyAttempts`, uncounted but audited.
    func reserveAttempt(
        _ email: EmailAddress, in realm: Realm, from origin: AttemptOrigin, at now: Moment, audit: AuditEntry
    ) async throws -> ReservedAttempt {
        let digests = digests(of: email, origin)
        let result: Result<ReservedAttempt, ServiceError> = try await write { transaction in
            switch try transaction.reserve(digests, for: origin.client, in: realm, at: now, limit: .passwordAttempts) {
            case .failure(let error):
                try transaction.append(audit)
                return .failure(error)
            case .success(let reserved):
                return .success(
                    ReservedAttempt(
                        stored: try transaction.account(email: email, in: realm), decision: reserved.decision,
                        charged: reserved.charged))
            }
        }
        return try result.get()
    }

    /// Counts a code that a client has typed for an address, before it is evaluated.
    /// - Returns: the decision, and the counters to clear when the code is right.
    func reserveCode(
        for email: EmailAddress, in realm: Realm, from client: ClientContext, at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws -> Result<(decision: AttemptBudgets.Decision, charged: [[UInt8]]), ServiceError> {
        let origin = try origin(of: client, trying: email, in: realm, at: now, transaction)
        let digests = digests(of: email, origin).map { budget, bytes in
            (budget: budget, digest: digest(Array("e-mail codes/".utf8) + bytes))
        }
        return try transaction.reserve(digests, for: origin.client, in: realm, at: now, limit: .emailCodeAttempts)
    }

    /// Refunds a reserved attempt, with an entry in the audit log if it was evaluated.
    func refund(
        _ attempt: ReservedAttempt, in realm: Realm, at now: Moment, audit: AuditEntry? = nil
    ) async throws {
        try await write { transaction in
            for digest in attempt.charged {
                var attempts = try transaction.attempts(digest, in: realm)
                attempts.refund()
                try transaction.upsert(attempts, digest, in: realm, at: now)
            }
            if let audit { try transaction.append(audit) }
        }
    }

    /// Completes a first factor with a password: clears the attempts, and opens the session or stores a pending
    /// sign-in. The account is read again and checked by `authorize`, because it may have changed during the hashing.
    /// - Parameter replacement: of the record of an imported password.
    /// - Throws: errors of `authorize` and of `completeFirstFactor`.
    func completeSignIn(
        _ attempt: ReservedAttempt, _ firstFactor: PreparedSignIn, _ policy: SessionPolicy, audit: AuditEntry,
        replacement: PasswordHasher.Replacement?, authorize: @Sendable @escaping (StoredAccount) throws -> Void
    ) async throws -> SignInResult {
        try await write { transaction in
            let session = firstFactor.session
            guard var stored = try transaction.account(session.accountID, in: session.realm) else {
                throw ServiceError(.accountNotFound)
            }
            try authorize(stored)
            // A concurrent sign-in may have replaced it already.
            if let replacement, stored.passwordRecord == replacement.imported {
                let before = stored
                // No session ends: the password stays the same.
                stored.passwordRecord = replacement.record
                _ = try transaction.update(stored, insteadOf: before, at: session.createdAt)
            }
            let decision = policy.decide(
                .init(operation: .passwordSignIn, stored: stored, authentication: session.authentication))
            for digest in attempt.charged { try transaction.clearAttempts(digest, in: session.realm) }
            return try transaction.completeFirstFactor(firstFactor, of: stored, decision, policy, audit)
        }
    }

    /// Clears the shared counters. Known clients keep the counts of their own budgets.
    func clearAttempts(of email: EmailAddress, in realm: Realm, _ transaction: borrowing SQLTransaction) throws {
        for (_, digest) in digests(of: email, .unknown) { try transaction.clearAttempts(digest, in: realm) }
    }

    private func digests(
        of email: EmailAddress, _ origin: AttemptOrigin
    ) -> [(budget: AttemptBudgets.Budget, digest: [UInt8])] {
        AttemptBudgets.Budget.allCases.compactMap { budget in
            switch budget {
            case .shared: (budget, email.attemptDigest)
            case .own: origin.ownDigest.map { (budget, $0) }
            case .trusted: (budget, digest(Array("known clients/\(email.folded)".utf8)))
            }
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    /// Counts an attempt in the budgets of its client.
    /// - Returns: the refusal, if a budget is exhausted; then nothing was counted.
    fileprivate borrowing func reserve(
        _ digests: [(budget: AttemptBudgets.Budget, digest: [UInt8])], for client: AttemptClient, in realm: Realm,
        at now: Moment, limit: LimitName
    ) throws -> Result<(decision: AttemptBudgets.Decision, charged: [[UInt8]]), ServiceError> {
        var budgets = AttemptBudgets()
        for (budget, digest) in digests { budgets[budget] = try attempts(digest, in: realm) }
        let reservation: AttemptBudgets.Reservation
        do throws(ServiceError) {
            reservation = try budgets.reserve(for: client, at: now, limit: limit)
        } catch {
            return .failure(error)
        }
        let charged = digests.filter { reservation.charged.contains($0.budget) }
        for (budget, digest) in charged { try upsert(budgets[budget], digest, in: realm, at: now) }
        return .success((reservation.decision, charged.map(\.digest)))
    }

    fileprivate borrowing func attempts(_ digest: [UInt8], in realm: Realm) throws -> SignInAttempts {
        try firstRow(SignInAttemptTable.byKey, SQLRecord(realm) + [.addressDigest: digest])
            .map { try SignInAttempts($0) } ?? .none
    }

    fileprivate borrowing func upsert(
        _ attempts: SignInAttempts, _ digest: [UInt8], in realm: Realm, at now: Moment
    ) throws {
        try execute(
            SignInAttemptTable.replacement,
            SQLRecord(realm) + [
                .addressDigest: digest, .count: attempts.count, .blockedUntil: attempts.blockedUntil,
                .lastAttemptAt: now,
            ])
    }

    /// The attempts of unknown clients at the password of an address.
    borrowing func sharedAttempts(of email: EmailAddress, in realm: Realm) throws -> SignInAttempts {
        try attempts(email.attemptDigest, in: realm)
    }

    borrowing func clearAttempts(_ digest: [UInt8], in realm: Realm) throws {
        try execute(SignInAttemptTable.removal, SQLRecord(realm) + [.addressDigest: digest])
    }
}

extension EmailAddress {
    /// Under which attempts of unknown clients are counted. Addresses without an account are not stored in plain text.
    fileprivate var attemptDigest: [UInt8] { SHA2.sha256(Array(folded.utf8)) }
}

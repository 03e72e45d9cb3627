import Contracts
import SQL
import Vocabulary

/// A sign-in by telephone with all that it may need, made ready before the transaction that decides.
struct PhoneSignInAttempt: Sendable {
    var realm: Realm
    var rules: PhoneSignIn
    var policy: SessionPolicy
    /// Of the session whose ID token came along.
    var presented: AuthenticationContext?
    /// Spent by success.
    var proof: TemporaryProof?
    /// Of the account that a number without one gets.
    var blank: StoredAccount
    /// Of whichever account it will be.
    var firstFactor: PreparedSignIn
    /// Given to whoever wants the number of somebody else.
    var newProof: TemporaryProof
}

/// What a proved number led to.
enum PhoneSignInResult: Codable, Sendable {
    case opened(OpenedSession, isNewAccount: Bool)
    case pending(account: Account, PendingSecondFactor)
    case conflict(Identity.PhoneSignInReply.Conflict)
}

extension IdentityStore {
    /// The account that signs in with a number.
    func account(phoneNumber: PhoneNumber, in realm: Realm) async throws -> StoredAccount? {
        try await read { transaction in try transaction.account(phoneNumber: phoneNumber, in: realm) }
    }

    /// Finds or makes the account of a proved number, or gives the number to an account, and opens a session, in one
    /// transaction: of many who come at once with a new number, one makes the account and the others sign in to it.
    /// - Throws: `invalidTemporaryProof`, and what `PhoneSignIn.decide` throws; then a proof is not spent.
    func signIn(
        byPhone attempt: PhoneSignInAttempt, audit: AuditEntry, once: IdempotentCall?
    ) async throws -> ChangeResult<PhoneSignInResult> {
        for _ in 0..<Self.maximumCollisions {
            do {
                return try await decide(attempt, audit: audit, once: once)
            } catch is PhoneNumberTakenError {
                continue
            }
        }
        throw IdentityError.phoneNumberExists
    }

    /// A number that changes hands more often than this while one call looks at it is not waited for.
    private static let maximumCollisions = 5

    private func decide(
        _ attempt: PhoneSignInAttempt, audit: AuditEntry, once: IdempotentCall?
    ) async throws -> ChangeResult<PhoneSignInResult> {
        try await write(once: once) { transaction in
            let (rules, realm) = (attempt.rules, attempt.realm)
            if let proof = attempt.proof { try transaction.redeem(proof, of: rules.number, in: realm, at: rules.now) }
            let decision = try rules.decide(
                holder: try transaction.account(phoneNumber: rules.number, in: realm),
                own: try rules.principal.flatMap { try transaction.account($0.accountID, in: realm) },
                blank: attempt.blank)
            var audit = audit
            switch decision {
            case .conflict(let holder):
                try transaction.insert(attempt.newProof, of: rules.number, in: realm, at: rules.now)
                audit.action = .temporaryProofIssued
                audit.actor = rules.principal.map { .account($0.accountID) } ?? .anonymous
                audit.accountID = holder
                try transaction.append(audit)
                return ChangeResult(
                    reply: .conflict(
                        .init(
                            phoneNumber: rules.number, temporaryProof: Secret(attempt.newProof.text),
                            expiresInSeconds: Int(TemporaryProof.lifetime.components.seconds))),
                    revokesSessions: false)
            case .open(let opening):
                let account = opening.account.account
                let decision = attempt.policy.decide(
                    .init(
                        operation: opening.operation, stored: opening.account,
                        authentication: attempt.firstFactor.session.authentication,
                        presented: attempt.presented,
                        upgradesAnonymous: opening.before?.account.isAnonymous ?? false))
                var revokesSessions = false
                switch decision {
                case .open: revokesSessions = try transaction.write(opening, at: rules.now)
                // Nothing changes before the second factor is verified.
                case .awaitSecondFactor, .refuse: break
                }
                let current = decision == .awaitSecondFactor ? opening.before ?? opening.account : opening.account
                let result = try transaction.completeFirstFactor(
                    attempt.firstFactor, of: current, decision, attempt.policy)
                audit.action = opening.action
                audit.actor = .account(account.id)
                audit.accountID = account.id
                switch result {
                case .opened(let opened):
                    try transaction.append(audit)
                    return ChangeResult(
                        reply: .opened(opened, isNewAccount: opening.isNewAccount), revokesSessions: revokesSessions)
                case .pending(let account, let factors):
                    audit.action = .firstFactor
                    try transaction.append(audit)
                    return ChangeResult(reply: .pending(account: account, factors), revokesSessions: false)
                }
            }
        }
    }
}

/// Somebody was quicker with a number that was free: what there is to decide is another thing now.
private struct PhoneNumberTakenError: Error {}

// MARK: - Rows

extension SQLTransaction {
    /// - Returns: whether others must hear of it.
    fileprivate borrowing func write(_ opening: PhoneSignIn.NewSession, at now: Moment) throws -> Bool {
        do {
            if let before = opening.before {
                return try update(opening.account, insteadOf: before, at: now).requiresEvent
            }
            try insert(opening.account)
            return false
        } catch IdentityError.phoneNumberExists {
            throw PhoneNumberTakenError()
        }
    }

    borrowing func account(phoneNumber: PhoneNumber, in realm: Realm) throws -> StoredAccount? {
        guard let id = try accountIDs(.phoneNumber(phoneNumber.rawValue), in: realm).first else { return nil }
        return try account(id, in: realm)
    }

    fileprivate borrowing func insert(
        _ proof: TemporaryProof, of number: PhoneNumber, in realm: Realm, at now: Moment
    ) throws {
        try execute(
            """
            INSERT INTO temporary_proofs (proof_hash, project, tenant, phone_number, expires_at)
            VALUES ($1, $2, $3, $4, $5)
            """, .blob(proof.hash), .text(realm.project.rawValue), .text(realm.tenantColumn), .text(number.rawValue),
            .integer((now + TemporaryProof.lifetime).milliseconds))
    }

    /// - Throws: `invalidTemporaryProof`; it does not say whether the proof is unknown, spent, too old or for another
    ///   number.
    fileprivate borrowing func redeem(
        _ proof: TemporaryProof, of number: PhoneNumber, in realm: Realm, at now: Moment
    ) throws {
        try execute(
            """
            DELETE FROM temporary_proofs
            WHERE proof_hash = $1 AND project = $2 AND tenant = $3 AND phone_number = $4 AND expires_at > $5
            """, .blob(proof.hash), .text(realm.project.rawValue), .text(realm.tenantColumn), .text(number.rawValue),
            .integer(now.milliseconds))
        guard changes == 1 else { throw IdentityError.invalidTemporaryProof }
    }
}

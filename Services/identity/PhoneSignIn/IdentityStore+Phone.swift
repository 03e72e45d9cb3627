import Contracts
import SQL
import Vocabulary

/// A phone sign-in with all possible inputs, prepared before the transaction that decides.
struct PreparedPhoneSignIn: Sendable {
    var realm: Realm
    var rules: PhoneSignIn
    var policy: SessionPolicy
    /// The authentication context of the request's ID token.
    var presented: AuthenticationContext?
    /// Redeemed by success.
    var proof: TemporaryProof?
    /// Used for a number without an account.
    var newAccount: StoredAccount
    /// The prepared results for the account that signs in.
    var firstFactor: PreparedSignIn
    /// Issued if the number belongs to another account.
    var newProof: TemporaryProof
}

/// The result of a verified number.
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

    /// Finds or creates the account of a verified number, or links the number to an account, and opens a session, in
    /// one transaction: of several concurrent sign-ins with a new number, one creates the account and the others sign
    /// in to it.
    /// - Throws: `invalidTemporaryProof`, and errors of `PhoneSignIn.decide`; then a proof is not redeemed.
    func signIn(
        byPhone prepared: PreparedPhoneSignIn, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> ChangeResult<PhoneSignInResult> {
        for _ in 0..<Self.maximumCollisions {
            do {
                return try await decide(prepared, audit: audit, idempotency: idempotency)
            } catch is PhoneNumberTakenError {
                continue
            }
        }
        throw ServiceError(.phoneNumberExists)
    }

    /// Maximum retries when other transactions link the number at the same time.
    private static let maximumCollisions = 5

    private func decide(
        _ prepared: PreparedPhoneSignIn, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> ChangeResult<PhoneSignInResult> {
        try await write(idempotency: idempotency) { transaction in
            let (rules, realm) = (prepared.rules, prepared.realm)
            if let proof = prepared.proof { try transaction.redeem(proof, of: rules.number, in: realm, at: rules.now) }
            let decision = try rules.decide(
                currentOwner: try transaction.account(phoneNumber: rules.number, in: realm),
                requestingAccount: try rules.principal.flatMap { try transaction.account($0.accountID, in: realm) },
                newAccount: prepared.newAccount)
            var audit = audit
            switch decision {
            case .conflict(let owner):
                try transaction.insert(prepared.newProof, of: rules.number, in: realm, at: rules.now)
                audit.action = .temporaryProofIssued
                audit.actor = rules.principal.map { .account($0.accountID) } ?? .anonymous
                audit.accountID = owner
                try transaction.append(audit)
                return ChangeResult(
                    reply: .conflict(
                        .init(
                            phoneNumber: rules.number, temporaryProof: Secret(prepared.newProof.text),
                            expiresInSeconds: Int(TemporaryProof.lifetime.components.seconds))),
                    revokesSessions: false)
            case .open(var opening):
                let account = opening.account.account
                let decision = prepared.policy.decide(
                    .init(
                        operation: opening.operation, stored: opening.account,
                        authentication: prepared.firstFactor.session.authentication,
                        presented: prepared.presented,
                        upgradesAnonymous: opening.before?.isAnonymousUser(of: prepared.presented?.signInProvider)
                            ?? false))
                var revokesSessions = false
                switch decision {
                case .open: revokesSessions = try transaction.write(&opening, prepared.firstFactor, at: rules.now)
                // Nothing changes before the second factor is verified.
                case .awaitSecondFactor, .refuse: break
                }
                let current = decision == .awaitSecondFactor ? opening.before ?? opening.account : opening.account
                let result = try transaction.completeFirstFactor(
                    prepared.firstFactor, of: current, decision, prepared.policy)
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

/// Another transaction has linked the number meanwhile, so the decision must be made again.
private struct PhoneNumberTakenError: Error {}

// MARK: - Rows

extension SQLTransaction {
    /// - Returns: whether the other processes must be informed.
    fileprivate borrowing func write(
        _ opening: inout PhoneSignIn.NewSession, _ firstFactor: PreparedSignIn, at now: Moment
    ) throws -> Bool {
        do {
            if let before = opening.before {
                return try update(opening.account, insteadOf: before, at: now).requiresEvent
            }
            try create(&opening.account, firstFactor.responses, firstFactor.session.authentication, at: now)
            return false
        } catch let error as ServiceError where error.code == .phoneNumberExists {
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
            TemporaryProofTable.insertion,
            SQLRecord(realm) + [
                .proofHash: proof.hash, .phoneNumber: number.rawValue, .expiresAt: now + TemporaryProof.lifetime,
            ])
    }

    /// - Throws: `invalidTemporaryProof`, whether the proof is unknown, redeemed, expired or for another number.
    fileprivate borrowing func redeem(
        _ proof: TemporaryProof, of number: PhoneNumber, in realm: Realm, at now: Moment
    ) throws {
        let row = try firstRow(
            TemporaryProofTable.redemption,
            SQLRecord(realm) + [.proofHash: proof.hash, .phoneNumber: number.rawValue])
        let expiresAt: Moment? = try row?.get(.expiresAt)
        guard let expiresAt, expiresAt.endsWindow(ofAtMost: TemporaryProof.lifetime, at: now) else {
            throw ServiceError(.invalidTemporaryProof)
        }
    }
}

import Contracts
import SQL
import Vocabulary

/// A phone sign-in with all possible inputs, prepared before the transaction that decides.
struct PreparedPhoneSignIn: Sendable {
    var realm: Realm
    var rules: PhoneSignIn
    /// Redeemed by success.
    var proof: TemporaryProof?
    /// Used for a number without an account.
    var newAccount: StoredAccount
    var firstFactor: PreparedFirstFactor
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
        try await retryingCollisions { try await decide(prepared, audit: audit, idempotency: idempotency) }
    }

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
            switch decision {
            case .conflict(let owner):
                var audit = audit
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
            case .open(let new):
                let result = try transaction.open(new, prepared.firstFactor, audit)
                let reply: PhoneSignInResult =
                    switch result.reply {
                    case .opened(let opened): .opened(opened, isNewAccount: new.isNewAccount)
                    case .pending(let account, let factors): .pending(account: account, factors)
                    }
                return ChangeResult(reply: reply, revokesSessions: result.revokesSessions)
            }
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
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

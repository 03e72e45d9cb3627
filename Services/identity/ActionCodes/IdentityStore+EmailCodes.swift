import Contracts
import SQL
import Vocabulary

/// A code that a client has typed.
struct TypedEmailCode: Sendable {
    /// The hash of `sessionInfo`.
    var session: [UInt8]
    var digest: [UInt8]
    var client: ClientContext
    /// The network whose wrong codes are counted; nil when it is unknown or not counted.
    var network: ClientNetwork?
}

/// The result of a transaction that counts wrong codes. A refusal is a result, so that the counts are stored.
enum CountedResult<Reply: Codable & Sendable>: Codable, Sendable {
    case accepted(ChangeResult<Reply>)
    case refused(RecordedRefusal)

    /// - Throws: the refusal.
    func get() throws(ServiceError) -> ChangeResult<Reply> {
        switch self {
        case .accepted(let result): return result
        case .refused(let refusal): throw refusal.error
        }
    }
}

/// A refusal as a recorded reply contains it.
struct RecordedRefusal: Codable, Sendable {
    private var code: WireError.Code
    private var limit: LimitName?
    private var until: Moment?

    init(_ error: ServiceError) {
        code = error.code
        limit = error.limit
        switch error.retry {
        case .at(let time): until = time
        // Only errors of other processes have it.
        case .afterSeconds, nil: until = nil
        }
    }

    var error: ServiceError { limit.map { .limited(by: $0, until: until) } ?? ServiceError(code) }
}

extension IdentityStore {
    /// The stored hash of a session. It differs from `ActionCode.Text.hash`: the client that requested the code has the
    /// text, which must not work as that of a link.
    func sessionHash(of text: ActionCode.Text) -> [UInt8] {
        digest(Array("e-mail code session/".utf8) + text.bytes)
    }

    /// The stored digest of a code. The same code has another one in another session.
    func digest(of code: Secret<String>, in session: [UInt8]) -> [UInt8] {
        digest(Array("e-mail code digits/".utf8) + session + Array(code.reveal().utf8))
    }

    /// Evaluates a typed code, after it was counted for its session, for the address in all sessions and for the client
    /// network (security rules RL1 to RL4 and SM5). The caller redeems it in the same transaction.
    /// - Parameter audit: the entry of a refusal, which is appended here.
    /// - Returns: the action code; or the refusal, with which the transaction has to be committed.
    func evaluate(
        _ typed: TypedEmailCode, for purpose: Identity.EmailCodePurpose, in realm: Realm, at now: Moment,
        audit: AuditEntry, _ transaction: borrowing SQLTransaction
    ) throws -> Result<ActionCode, ServiceError> {
        guard
            let row = try transaction.firstRow(
                ActionCodeTable.byCode, SQLRecord(realm) + [.codeHash: typed.session])
        else { return .failure(ServiceError(.invalidVerificationSession)) }
        let code = try ActionCode(row)
        guard var digits = code.digits, code.purpose == purpose.actionPurpose else {
            return .failure(ServiceError(.invalidVerificationSession))
        }
        do throws(ServiceError) { try code.validate(at: now) } catch { return .failure(error) }
        let decision = digits.evaluate(typed.digest)
        guard decision != .exhausted else { return .failure(ServiceError(.verificationSessionExpired)) }

        var audit = audit
        audit.accountID = code.accountID
        func refuse(_ error: ServiceError) throws -> Result<ActionCode, ServiceError> {
            audit.outcome = error.limit == nil ? .refused : .rateLimited
            try transaction.append(audit)
            return .failure(error)
        }
        if let until = try exhaustedNetwork(of: typed, in: realm, at: now, transaction) {
            return try refuse(.limited(by: .emailCodeAttempts, until: until))
        }
        let charged: [[UInt8]]
        let wrong: ServiceError
        switch try reserveCode(for: code.email, in: realm, from: typed.client, at: now, transaction) {
        case .failure(let error): return try refuse(error)
        case .success(let reserved):
            charged = reserved.charged
            switch reserved.decision {
            case .evaluated: wrong = ServiceError(.invalidCode)
            case .evaluatedAsLimited(let until): wrong = .limited(by: .emailCodeAttempts, until: until)
            case .refused(let until): return try refuse(.limited(by: .emailCodeAttempts, until: until))
            }
        }
        guard decision == .right else {
            try transaction.execute(
                ActionCodeTable.evaluation, [.sequence: try row.get(.sequence) as Int64, .failures: digits.failures])
            try countWrong(typed, in: realm, at: now, transaction)
            return try refuse(wrong)
        }
        for digest in charged { try transaction.clearAttempts(digest, in: realm) }
        return .success(code)
    }

    /// Redeems a code that verifies the address of its account.
    /// - Throws: `accountDisabled`.
    func verifyEmail(
        byCode typed: TypedEmailCode, in realm: Realm, at now: Moment, audit: AuditEntry,
        idempotency: IdempotentCall?
    ) async throws -> CountedResult<Account> {
        try await write(idempotency: idempotency) { [self] transaction in
            var audit = audit
            let code: ActionCode
            switch try evaluate(typed, for: .verifyEmail, in: realm, at: now, audit: audit, transaction) {
            case .failure(let error): return .refused(RecordedRefusal(error))
            case .success(let found): code = found
            }
            // The account may have another address since.
            guard let id = code.accountID, let before = try transaction.account(id, in: realm),
                before.account.email?.folded == code.email.folded
            else { throw ServiceError(.invalidVerificationSession) }
            guard !before.account.disabled else { throw ServiceError(.accountDisabled) }
            var after = before
            try after.apply(code, at: now)
            let revocation = try transaction.update(after, insteadOf: before, at: now)
            try transaction.deleteActionCode(typed.session)
            audit.actor = .account(id)
            audit.accountID = id
            try transaction.append(audit)
            return .accepted(ChangeResult(reply: after.account, revokesSessions: revocation.requiresEvent))
        }
    }

    // MARK: Networks

    /// Wrong codes for all addresses together, so that a client cannot try a few codes at each of many.
    private func wrongCodes(_ network: ClientNetwork) -> [UInt8] {
        digest(Array("wrong e-mail codes/\(network.bytes.count)/".utf8) + network.bytes)
    }

    /// - Returns: when the network of the client may try again, if it may not now.
    private func exhaustedNetwork(
        of typed: TypedEmailCode, in realm: Realm, at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws -> Moment? {
        let project = Realm(project: realm.project)
        for (network, factor) in typed.network?.counted ?? [] {
            let quota = try transaction.quota(wrongCodes(network), in: project, at: now)
            if let until = quota.isFull(
                EmailQuota.wrongCodesPerNetwork * factor, within: EmailQuota.addressWindow, at: now)
            {
                return until
            }
        }
        return nil
    }

    private func countWrong(
        _ typed: TypedEmailCode, in realm: Realm, at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws {
        let project = Realm(project: realm.project)
        for (network, factor) in typed.network?.counted ?? [] {
            _ = try transaction.reserve(
                wrongCodes(network), EmailQuota.wrongCodesPerNetwork * factor, within: EmailQuota.addressWindow,
                in: project, at: now)
        }
    }
}

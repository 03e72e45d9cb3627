import Contracts
import PhoneNumbers
import SQL
import Vocabulary

extension SMSStore {
    /// The maximum for `openCodes`, so that the reply fits into a bus message.
    private static let maximumCodes = 1000

    /// Inserts a session, unless a limit forbids its message. It voids the earlier session of the same number, purpose
    /// and account (security rule SM5). A test number is neither counted nor limited.
    /// - Parameter devCode: readable by dev tools; nil in production.
    /// - Returns: the limit that forbids the message. Counts are kept.
    func insertSession(
        _ session: VerificationSession, from ipAddress: String?, devCode: DevCode?, at now: Moment
    ) async throws -> ServiceError? {
        let number = digests.number(session.number.number)
        let scopes = scopes(of: session)
        return try await database.write { transaction in
            if !session.isTest {
                if let until = try transaction.failedAttempts(scopes, session.realm).lock(at: now) {
                    return .limited(by: .smsCodeAttempts, until: until)
                }
                if let refusal = try self.sending.admit(
                    session.countedSend(from: ipAddress), at: now, in: transaction)
                {
                    return refusal
                }
            }
            try transaction.execute(
                VerificationSessionTable.removalOfFormer,
                SQLRecord(session.realm) + [
                    .numberDigest: number, .purpose: session.purpose, .accountID: session.accountID?.rawValue ?? "",
                ])
            try transaction.execute(
                VerificationSessionTable.insertion,
                session.record(numberDigest: number) + [
                    .sealedNumber: try self.seal(SealedNumber(session.number), of: session.id),
                    .sealedDevCode: try devCode.map { try self.seal($0, of: session.id) },
                ])
            return nil
        }
    }

    /// Deletes the sessions of deleted accounts that are not newer than the deletion.
    func forget(_ accounts: [DeletedAccount], in realm: Realm) async throws {
        try await database.write { transaction in
            for account in accounts {
                try transaction.execute(
                    VerificationSessionTable.removalOfAccount, SQLRecord(realm) + [.accountID: account.id],
                    account.deletedAt)
            }
        }
    }

    /// Ends a session whose message was not passed on.
    /// - Parameter isRefunded: the message was certainly not sent, so it costs nothing.
    func void(
        _ session: VerificationSession, from ipAddress: String?, isRefunded: Bool
    ) async throws {
        try await database.write { transaction in
            try transaction.deleteSession(session.id)
            // Refunded in the hour and the day in which it was counted.
            if isRefunded {
                try self.sending.refund(
                    session.countedSend(from: ipAddress), admittedAt: session.createdAt, in: transaction)
            }
        }
    }

    /// The current state of a session.
    func session(_ id: [UInt8], of project: ProjectID) async throws -> VerificationSession? {
        try await database.read { transaction in
            try transaction.sessionRow(id, of: project).map { try self.session($0) }
        }
    }

    /// The result of an attempt.
    enum AttemptResult: Equatable, Sendable {
        /// Act on it, then call `deleteSession` or `release`.
        case accepted(VerificationSession)
        case refused(ServiceError)
    }

    /// Verifies a code and saves the effects: on the session, on the failure counts of number and account, and on the
    /// sending limits, which a verified code relaxes.
    func verify(
        _ attempt: VerificationSession.Attempt, _ claim: VerificationSession.Binding, at now: Moment
    ) async throws -> (AttemptResult, VerificationSession.Decision?) {
        try await database.write { transaction in
            guard let row = try transaction.sessionRow(attempt.sessionID, of: claim.realm.project) else {
                return (.refused(ServiceError(.invalidVerificationSession)), nil)
            }
            var session = try self.session(row)
            guard session.isBound(to: claim) else { return (.refused(ServiceError(.invalidVerificationSession)), nil) }
            let scopes = session.isTest ? [] : self.scopes(of: session)
            var failedAttempts = try transaction.failedAttempts(scopes, session.realm)
            if session.isOpen(at: now), let until = failedAttempts.lock(at: now) {
                return (.refused(.limited(by: .smsCodeAttempts, until: until)), nil)
            }
            let decision = session.verify(attempt, at: now)
            switch decision {
            case .verified:
                try transaction.save(session)
                try transaction.deleteFailedAttempts(scopes, session.realm)
                if !session.isTest { try self.sending.recordVerified(session.countedSend(), at: now, in: transaction) }
                return (.accepted(session), decision)
            case .resumed:
                try transaction.save(session)
                return (.accepted(session), decision)
            case .invalidCode:
                try transaction.save(session)
                for place in failedAttempts.indices { failedAttempts[place].recordFailure(at: now) }
                try transaction.save(failedAttempts, scopes, session.realm, at: now)
                return (.refused(ServiceError(.invalidCode)), decision)
            case .expired: return (.refused(ServiceError(.verificationSessionExpired)), decision)
            case .alreadyUsed: return (.refused(ServiceError(.invalidVerificationSession)), decision)
            }
        }
    }

    /// Deletes a session that is complete or can no longer be completed.
    func deleteSession(_ session: VerificationSession) async throws {
        try await database.write { transaction in try transaction.deleteSession(session.id) }
    }

    /// Releases the lease of a verified session, so that the request can be repeated at once. A newer lease is kept.
    func release(_ session: VerificationSession, at now: Moment) async throws {
        guard let proof = session.proof else { return }
        try await database.write { transaction in
            try transaction.execute(
                VerificationSessionTable.release, [.sessionDigest: session.id, .leasedUntil: now], proof.leasedUntil)
        }
    }

    /// The sent messages of a project and the limits in effect.
    func sendingStatus(of project: ProjectID, at now: Moment) async throws -> MFASMS.ReadSendingStatus.Reply {
        try await database.read { transaction in try self.sending.status(of: project, at: now, in: transaction) }
    }

    /// The valid codes that dev tools may read, the latest last.
    func openCodes(in realm: Realm, at now: Moment) async throws -> [MFASMS.ListCodes.Code] {
        try await database.read { transaction in
            let rows = try transaction.rows(
                VerificationSessionTable.readable, SQLRecord(realm), now - MFASMS.codeLifetime,
                Self.maximumCodes)
            return try rows.reversed().compactMap { row in
                let session = try self.session(row)
                guard session.isOpen(at: now) else { return nil }
                let reading = try self.open(devCode: row.get(.sealedDevCode), of: session.id)
                return .init(
                    phoneNumber: session.number.number, code: reading.code, sessionInfo: reading.sessionInfo)
            }
        }
    }

    /// The numbers with which no code is accepted now.
    func blocks(_ request: MFASMS.ReadBlocks, at now: Moment) async throws -> [CodeBlock] {
        let realm = request.realm
        let signIn = request.phoneNumber.map { number in
            (factorID: FactorID?.none, scopes: VerificationSession.failureScopes(of: number, .signIn, nil, in: realm))
        }
        let factors = request.factors.prefix(MFASMS.ReadBlocks.maximumCount).map { factor in
            (
                factorID: FactorID?.some(factor.id),
                scopes: VerificationSession.failureScopes(
                    of: factor.phoneNumber, .secondFactor, request.accountID, in: realm)
            )
        }
        let counted = ([signIn].compactMap(\.self) + factors).map {
            (id: $0.factorID, scopes: $0.scopes.map(digests.scope))
        }
        return try await database.read { transaction in
            try counted.compactMap { entry in
                try transaction.failedAttempts(entry.scopes, realm).lock(at: now)
                    .map { CodeBlock(factorID: entry.id, until: $0) }
            }
        }
    }

    private func scopes(of session: VerificationSession) -> [[UInt8]] {
        session.failureScopes.map(digests.scope)
    }

    private func session(_ row: SQLTableRow<VerificationSessionTable>) throws -> VerificationSession {
        let number = try open(number: row.get(.sealedNumber), of: row.get(.sessionDigest)).parsed
        return try VerificationSession(row, number: number)
    }
}

// MARK: - Rows

extension SQLTransaction {
    fileprivate func sessionRow(
        _ id: [UInt8], of project: ProjectID
    ) throws -> SQLTableRow<VerificationSessionTable>? {
        try firstRow(VerificationSessionTable.ofProject, [.sessionDigest: id, .project: project])
    }

    fileprivate func save(_ session: VerificationSession) throws {
        try execute(VerificationSessionTable.verification, session.verification + [.sessionDigest: session.id])
    }

    fileprivate func deleteSession(_ id: [UInt8]) throws {
        try execute(VerificationSessionTable.removal, [.sessionDigest: id])
    }

    /// In the order of the scopes.
    fileprivate func failedAttempts(_ scopes: [[UInt8]], _ realm: Realm) throws -> [FailedCodeAttempts] {
        var attempts: [FailedCodeAttempts] = []
        for scope in scopes {
            let row = try firstRow(FailedCodeTable.byKey, SQLRecord(realm) + [.scopeDigest: scope])
            attempts.append(try row.map(FailedCodeAttempts.init) ?? FailedCodeAttempts())
        }
        return attempts
    }

    fileprivate func save(
        _ attempts: [FailedCodeAttempts], _ scopes: [[UInt8]], _ realm: Realm, at now: Moment
    ) throws {
        for (attempts, scope) in zip(attempts, scopes) {
            try execute(
                FailedCodeTable.saving,
                SQLRecord(realm) + [
                    .scopeDigest: scope, .failures: attempts.count, .lockedUntil: attempts.lockedUntil,
                    .failedAt: now,
                ])
        }
    }

    fileprivate func deleteFailedAttempts(_ scopes: [[UInt8]], _ realm: Realm) throws {
        for scope in scopes {
            try execute(FailedCodeTable.removal, SQLRecord(realm) + [.scopeDigest: scope])
        }
    }
}

extension [FailedCodeAttempts] {
    /// The latest lock of all attempts.
    fileprivate func lock(at now: Moment) -> Moment? { compactMap { $0.activeLock(at: now) }.max() }
}

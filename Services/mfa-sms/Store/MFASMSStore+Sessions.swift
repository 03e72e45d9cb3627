import Contracts
import PhoneNumbers
import SQL
import Vocabulary

extension MFASMSStore {
    /// The maximum for `openCodes`, so that the reply fits into a bus message.
    private static let maximumCodes = 1000

    /// Inserts a session, unless a limit forbids its message. It voids the earlier session of the same number, purpose
    /// and account (security rule SM5). A test number is neither counted nor limited.
    /// - Parameter devCode: readable by dev tools; nil in production.
    /// - Returns: the limit that forbids the message. Counts are kept.
    func insertSession(
        _ session: VerificationSession, from ipAddress: String?, devCode: DevCode?, at now: Moment
    ) async throws -> SMSError? {
        let number = digests.number(session.number.number)
        let scopes = scopes(of: session)
        return try await database.write { transaction in
            if !session.isTest {
                if let until = try transaction.failedAttempts(scopes, session.realm).lock(at: now) {
                    return .tooManyFailedAttempts(until: until)
                }
                if let refusal = try transaction.admit(session.sendAttempt(from: ipAddress), rules, at: now) {
                    return refusal
                }
            }
            try transaction.execute(
                """
                DELETE FROM verification_sessions WHERE project = $1 AND tenant = $2 AND number_digest = $3
                    AND purpose = $4 AND account_id = $5
                """, .text(session.realm.project.rawValue), .text(session.realm.tenantColumn), .blob(number),
                .text(session.purpose.rawValue), .text(session.accountID?.rawValue ?? ""))
            try transaction.insert(
                session, number, sealedNumber: try seal(SealedNumber(session.number), of: session.id),
                sealedDevCode: try devCode.map { try seal($0, of: session.id) })
            return nil
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
                try transaction.refund(session.sendAttempt(from: ipAddress), rules, at: session.createdAt)
            }
        }
    }

    /// The current state of a session.
    func session(_ id: [UInt8], of project: ProjectID) async throws -> VerificationSession? {
        try await database.read { transaction in
            try transaction.sessionRow(id, of: project).map { try session($0) }
        }
    }

    /// The result of an attempt.
    enum AttemptResult: Equatable, Sendable {
        /// Act on it, then call `deleteSession` or `release`.
        case accepted(VerificationSession)
        case refused(SMSError)
    }

    /// Verifies a code and saves the effects: on the session, on the failure counts of number and account, and on the
    /// sending limits, which a verified code relaxes.
    func verify(
        _ attempt: VerificationSession.Attempt, _ claim: VerificationSession.Binding, at now: Moment
    ) async throws -> (AttemptResult, VerificationSession.Decision?) {
        try await database.write { transaction in
            guard let row = try transaction.sessionRow(attempt.sessionID, of: claim.realm.project) else {
                return (.refused(.unknownSession), nil)
            }
            var session = try session(row)
            guard session.isBound(to: claim) else { return (.refused(.unknownSession), nil) }
            let scopes = session.isTest ? [] : scopes(of: session)
            var guesses = try transaction.failedAttempts(scopes, session.realm)
            if session.isOpen(at: now), let until = guesses.lock(at: now) {
                return (.refused(.tooManyFailedAttempts(until: until)), nil)
            }
            let verdict = session.verify(attempt, at: now)
            switch verdict {
            case .verified:
                try transaction.save(session)
                try transaction.deleteFailedAttempts(scopes, session.realm)
                if !session.isTest { try transaction.recordVerified(session.sendAttempt(), rules, at: now) }
                return (.accepted(session), verdict)
            case .resumed:
                try transaction.save(session)
                return (.accepted(session), verdict)
            case .invalidCode:
                try transaction.save(session)
                for place in guesses.indices { guesses[place].recordFailure(at: now) }
                try transaction.save(guesses, scopes, session.realm, at: now)
                return (.refused(.invalidCode), verdict)
            case .expired: return (.refused(.sessionExpired), verdict)
            case .alreadyUsed: return (.refused(.unknownSession), verdict)
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
                """
                UPDATE verification_sessions SET leased_until = $3 WHERE session_digest = $1 AND leased_until = $2
                """, .blob(session.id), .integer(proof.leasedUntil.milliseconds), .integer(now.milliseconds))
        }
    }

    /// The sent messages of a project and the limits in effect.
    func sendingStatus(of project: ProjectID, at now: Moment) async throws -> MFASMS.ReadSendingStatus.Reply {
        try await database.read { transaction in try transaction.readSendingStatus(project, rules, at: now) }
    }

    /// The valid codes that dev tools may read, the latest last.
    func openCodes(in realm: Realm, at now: Moment) async throws -> [MFASMS.ListCodes.Code] {
        try await database.read { transaction in
            let rows = try transaction.rows(
                """
                SELECT * FROM verification_sessions
                WHERE project = $1 AND tenant = $2 AND created_at > $3 AND sealed_dev_code IS NOT NULL
                ORDER BY created_at DESC, session_digest LIMIT $4
                """, .text(realm.project.rawValue), .text(realm.tenantColumn),
                .integer((now + (.zero - VerificationSession.lifetime)).milliseconds),
                .integer(Int64(Self.maximumCodes)))
            return try rows.reversed().compactMap { row in
                let session = try session(row)
                guard session.isOpen(at: now) else { return nil }
                let reading = try open(devCode: row.get("sealed_dev_code"), of: session.id)
                return .init(
                    phoneNumber: session.number.number, code: reading.code, sessionInfo: reading.sessionInfo)
            }
        }
    }

    private func scopes(of session: VerificationSession) -> [[UInt8]] {
        session.failureScopes.map(digests.scope)
    }

    private func session(_ row: SQLRow) throws -> VerificationSession {
        guard let purpose = SendAttempt.Purpose(rawValue: try row.get("purpose")) else { throw RowDecodingError() }
        let id: [UInt8] = try row.get("session_digest")
        let account: String = try row.get("account_id")
        let factor: String = try row.get("factor_id")
        let proof: [UInt8]? = try row.getIfPresent("proof_digest")
        let leasedUntil: Int64? = try row.getIfPresent("leased_until")
        return VerificationSession(
            id: id, realm: try Realm(row), purpose: purpose,
            number: try open(number: row.get("sealed_number"), of: id).parsed,
            accountID: account.isEmpty ? nil : AccountID(account), factorID: factor.isEmpty ? nil : FactorID(factor),
            isTest: try row.get("is_test"), codeDigest: try row.get("code_digest"),
            createdAt: Moment(milliseconds: try row.get("created_at")), failures: try row.get("failures"),
            proof: proof.map { .init(request: $0, leasedUntil: Moment(milliseconds: leasedUntil ?? 0)) })
    }
}

// MARK: - Rows

extension SQLTransaction {
    fileprivate borrowing func sessionRow(_ id: [UInt8], of project: ProjectID) throws -> SQLRow? {
        try firstRow(
            "SELECT * FROM verification_sessions WHERE session_digest = $1 AND project = $2", .blob(id),
            .text(project.rawValue))
    }

    fileprivate borrowing func insert(
        _ session: VerificationSession, _ numberDigest: [UInt8], sealedNumber: [UInt8], sealedDevCode: [UInt8]?
    ) throws {
        try execute(
            """
            INSERT INTO verification_sessions (session_digest, project, tenant, purpose, number_digest, sealed_number,
                account_id, factor_id, is_test, code_digest, sealed_dev_code, created_at, expires_at, failures)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
            """, .blob(session.id), .text(session.realm.project.rawValue), .text(session.realm.tenantColumn),
            .text(session.purpose.rawValue), .blob(numberDigest), .blob(sealedNumber),
            .text(session.accountID?.rawValue ?? ""), .text(session.factorID?.rawValue ?? ""),
            SQLValue(session.isTest), .blob(session.codeDigest), SQLValue(sealedDevCode),
            .integer(session.createdAt.milliseconds), .integer(session.expiresAt.milliseconds),
            .integer(Int64(session.failures)))
    }

    fileprivate borrowing func save(_ session: VerificationSession) throws {
        try execute(
            """
            UPDATE verification_sessions SET failures = $2, proof_digest = $3, leased_until = $4
            WHERE session_digest = $1
            """, .blob(session.id), .integer(Int64(session.failures)), SQLValue(session.proof?.request),
            SQLValue(session.proof?.leasedUntil.milliseconds))
    }

    fileprivate borrowing func deleteSession(_ id: [UInt8]) throws {
        try execute("DELETE FROM verification_sessions WHERE session_digest = $1", .blob(id))
    }

    /// In the order of the scopes.
    fileprivate borrowing func failedAttempts(_ scopes: [[UInt8]], _ realm: Realm) throws -> [FailedCodeAttempts] {
        var guesses: [FailedCodeAttempts] = []
        for scope in scopes {
            let row = try firstRow(
                """
                SELECT failures, locked_until FROM failed_guesses
                WHERE project = $1 AND tenant = $2 AND scope_digest = $3
                """, .text(realm.project.rawValue), .text(realm.tenantColumn), .blob(scope))
            let lockedUntil: Int64? = try row?.getIfPresent("locked_until")
            guesses.append(
                FailedCodeAttempts(
                    count: try row?.get("failures") ?? 0, lockedUntil: lockedUntil.map(Moment.init(milliseconds:))))
        }
        return guesses
    }

    fileprivate borrowing func save(
        _ guesses: [FailedCodeAttempts], _ scopes: [[UInt8]], _ realm: Realm, at now: Moment
    ) throws {
        for (guesses, scope) in zip(guesses, scopes) {
            try execute(
                """
                INSERT INTO failed_guesses (project, tenant, scope_digest, failures, locked_until, failed_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (project, tenant, scope_digest) DO UPDATE SET failures = excluded.failures,
                    locked_until = excluded.locked_until, failed_at = excluded.failed_at
                """, .text(realm.project.rawValue), .text(realm.tenantColumn), .blob(scope),
                .integer(Int64(guesses.count)), SQLValue(guesses.lockedUntil?.milliseconds),
                .integer(now.milliseconds))
        }
    }

    fileprivate borrowing func deleteFailedAttempts(_ scopes: [[UInt8]], _ realm: Realm) throws {
        for scope in scopes {
            try execute(
                "DELETE FROM failed_guesses WHERE project = $1 AND tenant = $2 AND scope_digest = $3",
                .text(realm.project.rawValue), .text(realm.tenantColumn), .blob(scope))
        }
    }
}

extension [FailedCodeAttempts] {
    /// The latest lock of all attempts.
    fileprivate func lock(at now: Moment) -> Moment? { compactMap { $0.activeLock(at: now) }.max() }
}

extension Realm {
    /// The tenant column: empty for the project's own users.
    var tenantColumn: String { tenant?.rawValue ?? "" }

    init(_ row: SQLRow) throws {
        let tenant: String = try row.get("tenant")
        self.init(project: ProjectID(try row.get("project")), tenant: tenant.isEmpty ? nil : TenantID(tenant))
    }
}

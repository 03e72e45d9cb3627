import Contracts
import Crypto
import SQL
import Vocabulary

extension IdentityStore {
    /// The result of a refresh.
    enum RefreshResult: Sendable {
        case refreshed(StoredAccount, AuthenticationContext, RefreshToken)
        case refused(IdentityError)
    }

    /// Redeems a refresh token: verifies it, advances the session and reads the account, in one transaction. A token
    /// that was redeemed before ends its session, with an entry in the audit log.
    func redeem(
        _ token: RefreshToken, of project: ProjectID, at now: Moment, salt: [UInt8],
        grace: Duration = Session.defaultGrace, traceID: String
    ) async throws -> RefreshResult {
        try await write { transaction in
            guard var session = try transaction.session(token.sessionID), session.realm.project == project else {
                return .refused(.invalidRefreshToken)
            }
            let redemption = session.redeem(token, at: now, salt: salt, grace: grace)
            guard redemption != .unknown else { return .refused(.invalidRefreshToken) }
            guard var stored = try transaction.account(session.accountID, in: session.realm) else {
                return .refused(.accountNotFound)
            }
            switch redemption {
            case .unknown: return .refused(.invalidRefreshToken)
            case .expired: return .refused(.sessionExpired)
            case .replayed:
                try transaction.update(session)
                try transaction.append(
                    AuditEntry(
                        at: now, realm: session.realm, action: .sessionReuse, outcome: .refused, actor: .anonymous,
                        accountID: session.accountID, traceID: traceID))
                return .refused(.sessionExpired)
            case .successor(let successor, let rotated):
                do throws(IdentityError) {
                    try stored.requireActive(tokenIssuedAt: session.authentication.authenticatedAt)
                } catch {
                    // The token was not redeemed, so a client can use it when the account is enabled again.
                    return .refused(error)
                }
                if rotated { try transaction.update(session) }
                stored.account.lastRefreshAt = now
                try transaction.execute(
                    "UPDATE accounts SET last_refresh_at = $4 WHERE project = $1 AND tenant = $2 AND account_id = $3",
                    .text(session.realm.project.rawValue), .text(session.realm.tenantColumn),
                    .text(session.accountID.rawValue), .integer(now.milliseconds))
                return .refreshed(stored, session.authentication, successor)
            }
        }
    }
}

// MARK: - Rows

extension IdentityStore {
    /// The session claims of the active sessions of an account that began as `authentication` says, the largest first.
    func claims(ofSessionsLike authentication: AuthenticationContext, of id: AccountID, in realm: Realm) async throws
        -> [String]
    {
        try await read { transaction in
            try transaction.rows(
                """
                SELECT DISTINCT claims FROM sessions
                WHERE project = $1 AND tenant = $2 AND account_id = $3 AND authenticated_at = $4
                    AND sign_in_provider = $5 AND claims IS NOT NULL AND ended_at IS NULL
                """, .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue),
                .integer(authentication.authenticatedAt.seconds), .text(authentication.signInProvider)
            ).map { try $0.get("claims") as String }.sorted { $0.utf8.count > $1.utf8.count }
        }
    }
}

extension SQLTransaction {
    borrowing func insert(_ session: Session) throws {
        try execute(
            """
            INSERT INTO sessions (
                session_id, project, tenant, account_id, authenticated_at, sign_in_provider, second_factor_kind,
                second_factor_id, created_at, last_used_at, ended_at, generation, current_hash, previous_hash,
                successor_salt, claims, scope)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            """, .blob(session.id.bytes), .text(session.realm.project.rawValue), .text(session.realm.tenantColumn),
            .text(session.accountID.rawValue), .integer(session.authentication.authenticatedAt.seconds),
            .text(session.authentication.signInProvider), SQLValue(session.authentication.secondFactor?.kind),
            SQLValue(session.authentication.secondFactor?.id?.rawValue), .integer(session.createdAt.milliseconds),
            .integer(session.lastUsedAt.milliseconds), SQLValue(session.endedAt?.milliseconds),
            .integer(Int64(session.generation)), .blob(session.currentHash), SQLValue(session.previousHash),
            SQLValue(session.successorSalt), SQLValue(session.authentication.claims),
            .text(session.authentication.scope.rawValue))
    }

    /// Stores the state of the refresh-token family. The rest of a session never changes.
    borrowing func update(_ session: Session) throws {
        try execute(
            """
            UPDATE sessions SET last_used_at = $2, ended_at = $3, generation = $4, current_hash = $5,
                previous_hash = $6, successor_salt = $7
            WHERE session_id = $1
            """, .blob(session.id.bytes), .integer(session.lastUsedAt.milliseconds),
            SQLValue(session.endedAt?.milliseconds), .integer(Int64(session.generation)),
            .blob(session.currentHash), SQLValue(session.previousHash), SQLValue(session.successorSalt))
    }

    borrowing func session(_ id: SessionID) throws -> Session? {
        guard let row = try firstRow("SELECT * FROM sessions WHERE session_id = $1", .blob(id.bytes)) else {
            return nil
        }
        let tenant: String = try row.get("tenant")
        let factorKind: String? = try row.getIfPresent("second_factor_kind")
        let factorID: String? = try row.getIfPresent("second_factor_id")
        let generation: Int64 = try row.get("generation")
        // An unknown scope was stored by a later version: the narrowest scope is safe.
        let scope = try row.getIfPresent("scope").map { SessionScope(rawValue: $0) ?? .enrollment }
        return Session(
            id: id,
            realm: Realm(project: ProjectID(try row.get("project")), tenant: tenant.nilIfEmpty.map { TenantID($0) }),
            accountID: AccountID(try row.get("account_id")),
            authentication: AuthenticationContext(
                authenticatedAt: Timestamp(seconds: try row.get("authenticated_at")),
                signInProvider: try row.get("sign_in_provider"),
                secondFactor: factorKind.map { .init(kind: $0, id: factorID.map { FactorID($0) }) },
                claims: try row.getIfPresent("claims"), scope: scope ?? .full),
            createdAt: Moment(milliseconds: try row.get("created_at")),
            lastUsedAt: Moment(milliseconds: try row.get("last_used_at")),
            endedAt: try row.getIfPresent("ended_at").map(Moment.init(milliseconds:)),
            generation: UInt32(truncatingIfNeeded: generation), currentHash: try row.get("current_hash"),
            previousHash: try row.getIfPresent("previous_hash"),
            successorSalt: try row.getIfPresent("successor_salt"))
    }
}

import Bus
import Contracts
import PasswordFilter
import Vocabulary

/// A session that was just opened or refreshed: all that its tokens are made of.
struct OpenedSession: Codable, Sendable {
    var account: Account
    var authentication: AuthenticationContext
    var refreshToken: String

    /// Recorded replies keep the member name that they were written with.
    private enum CodingKeys: String, CodingKey {
        case account, refreshToken
        case authentication = "facts"
    }
}

/// An ID token that was taken back: who it speaks for, and the facts of its session.
struct AuthenticatedSession: Sendable {
    var principal: Principal
    var authentication: AuthenticationContext
    var stored: StoredAccount
    /// With the configuration that holds in the realm of the account.
    var project: Project

    var policy: SessionPolicy { SessionPolicy(project.configuration) }
}

/// Steps that several handlers take.
extension IdentityService {
    /// Verifies an ID token, and loads its account as it is now.
    /// - Parameter scope: what the session must be good for at least.
    /// - Throws: `missingIDToken`, `invalidIDToken`, `tenantMismatch`, `accountNotFound`, `accountDisabled`,
    ///   `sessionExpired`, `projectDisabled`, `secondFactorRequired` for a session that may only enroll a factor.
    func session(
        behind idToken: Secret<String>?, in realm: Realm, _ call: BusCall, allowing scope: SessionScope = .full
    ) async throws -> AuthenticatedSession {
        guard let text = idToken?.reveal().nilIfEmpty else { throw IdentityError.missingIDToken }
        let claims = try dependencies.tokens.verify(text)
        try claims.check(for: realm, at: dependencies.now().timestamp)
        let tokenRealm = Realm(project: claims.project, tenant: claims.tenant)
        guard let stored = try await dependencies.store.account(claims.accountID, in: tokenRealm) else {
            throw IdentityError.accountNotFound
        }
        try stored.requireActive(tokenIssuedAt: claims.issuedAt)
        let project = try await dependencies.projects.project(of: tokenRealm, traceID: call.trace.traceID)
        let principal = Principal(
            accountID: claims.accountID, realm: tokenRealm, issuedAt: claims.issuedAt,
            authenticatedAt: claims.authentication.authenticatedAt,
            signInProvider: claims.authentication.signInProvider,
            secondFactorID: claims.authentication.secondFactor?.id)
        let session = AuthenticatedSession(
            principal: principal, authentication: claims.authentication, stored: stored, project: project)
        switch scope {
        case .enrollment: break
        case .full:
            guard session.policy.scope(of: claims.authentication, stored.account) == .full else {
                throw IdentityError.secondFactorRequired
            }
        }
        return session
    }

    /// As `session(behind:in:_:allowing:)`, for those whose next tokens continue the session: with the claims that it
    /// has of its own. A token shows them among those of the account, so the store is asked which they are.
    func continuedSession(
        behind idToken: Secret<String>?, in realm: Realm, _ call: BusCall, allowing scope: SessionScope = .full
    ) async throws -> AuthenticatedSession {
        var session = try await session(behind: idToken, in: realm, call, allowing: scope)
        let told = try IDTokenIssuer.payload(of: idToken?.reveal() ?? "")
        session.authentication.claims = try await dependencies.store.claims(
            ofSessionsLike: session.authentication, of: session.principal.accountID, in: session.principal.realm
        ).first { text in
            // `try?`: what was stored unreadable is not told in tokens either.
            (try? CustomClaims.parse(text))?.allSatisfy { told[$0.key] == $0.value } ?? false
        }
        return session
    }

    /// - Throws: `recentSignInRequired`.
    func requireRecentSignIn(_ principal: Principal) throws(IdentityError) {
        try principal.requireRecentSignIn(at: dependencies.now())
    }

    /// Changes an account, and tells the other processes if that ended sessions: the way every change takes, see
    /// `SessionRevocation`. Parameters and errors are those of `IdentityStore.change`.
    func change<Reply: Codable & Sendable>(
        _ id: AccountID, in realm: Realm, audit: AuditEntry, once: IdempotentCall?,
        session: @Sendable @escaping (StoredAccount, Reply) -> Session? = { _, _ in nil },
        mails: MailsOfChange? = nil,
        _ change: @Sendable @escaping (inout StoredAccount) throws -> Reply
    ) async throws -> Reply {
        let changed = try await dependencies.store.change(
            id, in: realm, audit: audit, once: once, session: session, mails: mails ?? { _, _ in [] }, change)
        if mails != nil { dependencies.wakeMailDispatcher() }
        if changed.revokesSessions { publishSessionsRevoked(id, in: realm) }
        return changed.reply
    }

    func publishSessionsRevoked(_ id: AccountID, in realm: Realm) {
        dependencies.publish(.sessionsRevoked(realm, id))
    }

    /// The tokens of a session. Signed after its commit: a crash in between costs a repeated call, not a session.
    /// - Parameter client: known from now on; nil where the request does not tell of it.
    func tokens(for opened: OpenedSession, _ client: ClientContext?) async throws -> TokenSet {
        if let client { await remember(client, of: opened.account) }
        let issuedAt = max(
            dependencies.now().timestamp, opened.account.validSince, opened.authentication.authenticatedAt)
        let idToken = try await dependencies.tokens.issue(
            for: opened.account, authentication: opened.authentication, issuedAt: issuedAt)
        return TokenSet(
            idToken: Secret(idToken), refreshToken: Secret(opened.refreshToken),
            expiresInSeconds: Int(IDTokenClaims.lifetimeSeconds(opened.authentication.scope)),
            deviceToken: dependencies.store.deviceToken(
                for: opened.account, refreshToken: opened.refreshToken, at: dependencies.now()
            ).map { Secret($0.text) })
    }

    /// Remembers from where somebody has signed in.
    private func remember(_ client: ClientContext, of account: Account) async {
        guard account.email != nil, let network = client.ipAddress.flatMap(ClientNetwork.init) else { return }
        // `try?`: the session is open. Without this, its client is merely unknown the next time.
        try? await dependencies.store.remember(network, of: account.id, in: account.realm, at: dependencies.now())
    }

    func open(
        for accountID: AccountID, in realm: Realm, authentication: AuthenticationContext, at now: Moment
    ) -> (Session, RefreshToken) {
        Session.open(
            for: accountID, in: realm, authentication: authentication, at: now, randomBytes: dependencies.randomBytes)
    }

    /// An e-mail address and a password that are about to be set, in the order in which production complains.
    func credentials(_ email: String?, _ password: String?) throws(IdentityError) -> (EmailAddress, String) {
        guard let email = email?.nilIfEmpty else { throw .missingEmail }
        let address = try EmailAddress(checking: email)
        guard let password = password?.nilIfEmpty else { throw .missingPassword }
        return (address, password)
    }

    /// Checks a password against the project's rules and hashes it.
    func record(of text: String, for email: EmailAddress?, _ project: Project, _ call: BusCall) async throws -> String {
        guard let password = Password(text) else {
            throw IdentityError.passwordPolicyViolated([.atMost(Password.maximumBytes)])
        }
        let names = [email?.rawValue, email.map { String($0.localPart) }, project.id.rawValue].compactMap { $0 }
        try project.configuration.passwordRules(isDev: dependencies.isDev).check(
            password, names: names, isCommon: dependencies.passwordFilter.contains)
        return try await dependencies.passwords.record(of: password, by: call.deadline)
    }

    func emptyAccount(id: AccountID, in realm: Realm) -> StoredAccount {
        let now = dependencies.now()
        return StoredAccount(
            account: Account(id: id, realm: realm, validSince: now.timestamp, createdAt: now), passwordRecord: nil)
    }

    /// 28 letters and digits: 166 bits.
    func newAccountID() -> AccountID {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var characters: [UInt8] = []
        while characters.count < 28 {
            // 248 is the largest multiple of 62 in a byte: what lies above would favour the first letters.
            characters += dependencies.randomBytes(32).filter { $0 < 248 }.map { alphabet[Int($0) % alphabet.count] }
        }
        return AccountID(String(decoding: characters.prefix(28), as: UTF8.self))
    }

    /// A random UUID (RFC 9562 §5.4), as production makes them.
    func newFactorID() -> FactorID {
        FactorID(RandomUUID.text(of: dependencies.randomBytes(16)))
    }

    func auditEntry(
        _ action: AuditEntry.Action, _ actor: AuditEntry.Actor, _ realm: Realm, _ client: ClientContext,
        _ call: BusCall,
        about accountID: AccountID?
    ) -> AuditEntry {
        AuditEntry(
            at: dependencies.now(), realm: realm, action: action, actor: actor, accountID: accountID,
            ipAddress: client.ipAddress, traceID: call.trace.traceID)
    }

    func idempotentCall(for call: BusCall) -> IdempotentCall? {
        call.idempotencyKey.map {
            IdempotentCall(
                idempotencyKey: $0, paramsDigest: dependencies.store.digest(call.canonicalParams),
                at: dependencies.now())
        }
    }
}

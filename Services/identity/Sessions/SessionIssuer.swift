import Contracts
import Vocabulary

/// Prepares new sessions, and issues the tokens of sessions that a transaction has opened.
struct SessionIssuer: IdentityComponent {
    let context: IdentityContext

    /// A new session and its first refresh token. Nothing is stored yet.
    func open(
        for accountID: AccountID, in realm: Realm, authentication: AuthenticationContext, client: ClientContext,
        at now: Moment
    ) -> (Session, RefreshToken) {
        Session.open(
            for: accountID, in: realm, authentication: authentication, clientAddress: client.ipAddress,
            device: client.device, at: now, randomBytes: randomBytes)
    }

    /// Both results of a verified first factor: a session and a pending sign-in. The transaction that completes the
    /// first factor stores one of them.
    func prepareSignIn(
        of accountID: AccountID, in realm: Realm, authentication: AuthenticationContext, _ notice: SignInNotice,
        at now: Moment
    ) -> PreparedSignIn {
        PreparedSignIn(
            for: accountID, in: realm, authentication: authentication, clientAddress: notice.client.ipAddress,
            device: notice.client.device, notice: notice, at: now, randomBytes: randomBytes)
    }

    /// The reply to a verified first factor.
    /// - Throws: as `tokens`.
    func reply(to result: SignInResult, _ client: ClientContext) async throws -> Identity.FirstFactorReply {
        switch result {
        case .opened(let opened): .init(account: opened.account, tokens: try await tokens(for: opened, client))
        case .pending(let account, let factors): .init(account: account, secondFactor: factors)
        }
    }

    /// The tokens of a session. They are signed after the commit: after a crash in between, the client repeats the call.
    /// - Parameter client: known from now on; nil where the request does not describe it.
    /// - Throws: `ServiceError.overloaded` when the queue of signatures is full.
    func tokens(
        for opened: OpenedSession, _ client: ClientContext?, nonce: String? = nil
    ) async throws -> TokenSet {
        if let client { await record(client, of: opened.account) }
        let now = now()
        // Both may be later than `now` by a second, and further only if they were recorded by a clock that was ahead.
        let issuedAt =
            [opened.account.validSince, opened.authentication.authenticatedAt]
            .filter { !Moment($0).isAhead(of: now) }.reduce(now.timestamp, max)
        var authentication = opened.authentication
        authentication.signInID = authentication.signInID ?? RefreshToken(opened.refreshToken)?.sessionID
        let idToken = try await idTokens.issue(
            for: opened.account, authentication: authentication, issuedAt: issuedAt, nonce: nonce)
        return TokenSet(
            idToken: Secret(idToken), refreshToken: Secret(opened.refreshToken),
            expiresInSeconds: Int(IDTokenClaims.lifetimeSeconds(opened.authentication.scope)),
            deviceToken: store.deviceToken(for: opened.account, refreshToken: opened.refreshToken, at: now)
                .map { Secret($0.text) })
    }

    /// Stores the network and the device of a client that has signed in.
    private func record(_ client: ClientContext, of account: Account) async {
        guard account.email != nil else { return }
        // `try?`: the session is open. After a failure the client is unknown at its next sign-in.
        try? await store.record(client, of: account.id, in: account.realm, at: now())
    }
}

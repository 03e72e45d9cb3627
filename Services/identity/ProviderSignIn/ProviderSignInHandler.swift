import Bus
import Contracts
import Vocabulary

/// Signs in with an identity of a provider, or links it to the account of an ID token. Federation verifies the
/// provider's response; identity decides which account has the identity.
struct ProviderSignInHandler: IdentityComponent {
    let context: IdentityContext

    func signIn(
        _ request: Identity.SignInWithProvider, _ call: BusCall
    ) async throws -> Identity.SignInWithProvider.Reply {
        let changed = try await store.reply(to: call, at: now()) { try await decide(request, call) }
        switch changed.reply {
        case .confirmation(let confirmation):
            wakeEmailLoop()
            return .init(confirmation: confirmation)
        case .conflict(let conflict): return .init(conflict: conflict)
        case .pending(let account, let factors):
            return .init(pending: .init(account: account, secondFactor: factors))
        case .opened(let opened, let isNewAccount, let isLinked, let isEmailRecycled):
            if isLinked { wakeEmailLoop() }
            if changed.revokesSessions { publish(.sessionsRevoked(opened.account.realm, opened.account.id)) }
            return .init(
                session: .init(
                    account: opened.account, tokens: try await sessions.tokens(for: opened, request.client),
                    isNewAccount: isNewAccount, isEmailRecycled: isEmailRecycled))
        }
    }

    private func decide(
        _ request: Identity.SignInWithProvider, _ call: BusCall
    ) async throws -> ChangeResult<ProviderSignInResult> {
        try request.identity.check()
        let (realm, now) = (request.realm, now())
        let project = try await projects.project(of: realm, traceID: call.trace.traceID)
        var current: AuthenticatedSession?
        if let idToken = request.linkIDToken {
            let session = try await authenticator.authenticateToContinue(idToken, in: realm, call)
            // The identity was verified with a provider of this realm. A tenant may have another with the same ID.
            guard session.principal.realm == realm else { throw ServiceError(.tenantMismatch) }
            current = session
        }
        let newAccount = StoredAccount(id: AccountID(randomBytes: randomBytes), in: realm, at: now)
        var signIn = sessions.prepareSignIn(
            of: newAccount.account.id, in: realm,
            authentication: AuthenticationContext(
                signedInBy: request.identity, continuing: current?.authentication, at: now),
            SignInNotice(self.context, project, request.client, call), at: now)
        // The authentication context has the attributes.
        signIn.pending.identity = request.identity
        signIn.pending.identity?.attributes = nil
        let context = notices.context(project, locale: nil, call)
        var prepared = PreparedProviderSignIn(
            realm: realm,
            rules: ProviderSignIn(
                identity: request.identity, verifiedAt: request.verifiedAt, principal: current?.principal,
                createsAccount: request.createsAccount, allowsSelfSignUp: project.configuration.allowsSelfSignUp,
                allowsDuplicateEmails: project.configuration.allowsDuplicateEmails, now: now),
            newAccount: newAccount,
            firstFactor: PreparedFirstFactor(
                policy: SessionPolicy(project.configuration), presented: current?.authentication, signIn: signIn))
        let event = BlockingFunctionContext(project: project, client: request.client, provider: request.details)
        return try await blockingFunctions.run(event, call) { responses in
            prepared.firstFactor.signIn.responses = responses
            return try await store.signIn(
                byProvider: prepared,
                audit: AuditEntry(.signIn, .anonymous, realm, request.client, call, about: nil, at: now),
                idempotency: store.idempotentCall(for: call, at: now),
                mails: { before, after in notices.providerLinks(from: before.account, to: after.account, context) },
                noticeOfRefusal: { notices.providerRefusal(of: request.identity, $0.account, context) })
        }
    }
}

extension AuthenticationContext {
    /// - Parameter current: the session to which the identity is linked. It keeps its second factor and its own claims.
    fileprivate init(
        signedInBy identity: ProviderIdentity, continuing current: AuthenticationContext?, at now: Moment
    ) {
        self.init(
            authenticatedAt: now.timestamp, signInProvider: identity.providerID, secondFactor: current?.secondFactor,
            claims: current?.claims, attributes: identity.attributes)
        if let current, current.isUserVerified == true {
            // Its passkey is both factors, so the session remains one of the passkey.
            signInProvider = current.signInProvider
            isUserVerified = true
            attributes = nil
        }
    }
}

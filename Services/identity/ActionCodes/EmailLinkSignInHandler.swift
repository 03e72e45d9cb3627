import Bus
import Contracts
import Vocabulary

/// Signs in with the action code of an e-mail link, or links the address to the account of an ID token.
struct EmailLinkSignInHandler: IdentityComponent {
    let context: IdentityContext

    func signIn(
        _ request: Identity.SignInWithEmailLink, _ call: BusCall
    ) async throws -> Identity.SignInWithEmailLink.Reply {
        let changed = try await store.recordedReply(to: call, at: now()) { try await redeem(request, call) }
        let (before, after) = (changed.reply.before, changed.reply.result.account)
        wakeEmailLoop()
        if changed.revokesSessions { publish(.sessionsRevoked(after.realm, after.id)) }
        switch changed.reply.result {
        case .opened(let opened):
            return .init(
                account: opened.account, isNewAccount: before == nil,
                tokens: try await sessions.tokens(for: opened, request.client))
        case .pending(let account, let factors): return .init(account: account, secondFactor: factors)
        }
    }

    private struct EmailLinkSignInResult: Codable, Sendable {
        var result: SignInResult
        /// nil for a new account.
        var before: Account?
    }

    private func redeem(
        _ request: Identity.SignInWithEmailLink, _ call: BusCall
    ) async throws -> ChangeResult<EmailLinkSignInResult> {
        var realm = request.realm
        var linking: Principal?
        var presented: AuthenticationContext?
        var authentication = AuthenticationContext(
            authenticatedAt: now().timestamp, signInProvider: "password")
        if request.linkIDToken != nil {
            let current = try await authenticator.authenticateToContinue(request.linkIDToken, in: request.realm, call)
            try current.stored.requireRecentSignIn(of: current.principal, at: now())
            realm = current.principal.realm
            linking = current.principal
            presented = current.authentication
            // A session that used a second factor, or has claims of its own, keeps them.
            authentication.secondFactor = current.authentication.secondFactor
            authentication.claims = current.authentication.claims
        }
        let project = try await projects.project(of: realm, traceID: call.trace.traceID)
        guard project.configuration.allowsEmailLinkSignIn else { throw ServiceError(.operationNotAllowed) }
        guard let emailText = request.email?.nilIfEmpty else { throw ServiceError(.missingEmail) }
        let email = try EmailAddress(checking: emailText)
        let text = try ActionCode.Text(checking: request.code)
        let now = now()
        var newAccount = StoredAccount(id: AccountID(randomBytes: randomBytes), in: realm, at: now)
        newAccount.account.email = email
        let firstFactor = sessions.prepareSignIn(
            of: newAccount.account.id, in: realm, authentication: authentication, client: request.client, at: now)
        let allowsSelfSignUp = project.configuration.allowsSelfSignUp
        let context = notices.context(project, locale: nil, call)
        let event = BlockingFunctionContext(
            project: project, client: request.client, signInMethod: BlockingFunctionContext.emailLinkMethod)
        return try await blockingFunctions.run(event, call) { [newAccount, presented] responses in
            try await store.signIn(
                byLink: text,
                .init(
                    email: email, linkingPrincipal: linking, presented: presented, newAccount: newAccount,
                    firstFactor: firstFactor.with(responses), policy: SessionPolicy(project.configuration)), at: now,
                audit: AuditEntry(.signIn, .anonymous, realm, request.client, call, about: nil, at: now),
                idempotency: store.idempotentCall(for: call, at: now),
                authorize: { _, isNew in
                    guard !isNew || allowsSelfSignUp else { throw ServiceError(.adminOnlyOperation) }
                },
                mails: { before, after in
                    try notices.emailChange(from: before.account, to: after.account, context)
                },
                reply: { result, before in EmailLinkSignInResult(result: result, before: before) })
        }
    }
}

import Bus
import Contracts
import Vocabulary

/// Signs in the reader of an address, with the code of a link or with typed digits, or links the address to the account of
/// an ID token.
struct EmailSignInHandler: IdentityComponent {
    let context: IdentityContext

    /// How the reader proves that the e-mail arrived.
    private enum Proof {
        case link, code

        func isAllowed(by configuration: ProjectConfiguration) -> Bool {
            switch self {
            case .link: configuration.allowsEmailLinkSignIn
            case .code: configuration.allowsEmailCodes
            }
        }

        /// The sign-in method in events of blocking functions.
        var method: String {
            switch self {
            case .link: BlockingFunctionContext.emailLinkMethod
            case .code: BlockingFunctionContext.emailCodeMethod
            }
        }
    }

    func signInByLink(
        _ request: Identity.SignInWithEmailLink, _ call: BusCall
    ) async throws -> Identity.SignInWithEmailLink.Reply {
        let changed = try await store.reply(to: call, at: now()) {
            let now = now()
            let (signIn, event) = try await prepare(
                .link, request.realm, linkingTo: request.linkIDToken, request.client, call, at: now)
            guard let emailText = request.email?.nilIfEmpty else { throw ServiceError(.missingEmail) }
            let email = try EmailAddress(checking: emailText)
            let text = try ActionCode.Text(checking: request.code)
            return try await blockingFunctions.run(event, call) { responses in
                try await store.signIn(
                    byLink: text, to: email, signIn.with(responses), at: now,
                    idempotency: store.idempotentCall(for: call, at: now))
            }
        }
        return try await reply(with: changed, request.client)
    }

    func signInByCode(
        _ request: Identity.SignInWithEmailCode, _ call: BusCall
    ) async throws -> Identity.SignInWithEmailCode.Reply {
        let counted = try await store.reply(to: call, at: now()) {
            let now = now()
            let (signIn, event) = try await prepare(
                .code, request.realm, linkingTo: request.linkIDToken, request.client, call, at: now)
            let typed = try typedCode(request.code, in: request.sessionInfo, request.client)
            return try await blockingFunctions.run(event, call) { responses in
                try await store.signIn(
                    byCode: typed, signIn.with(responses), at: now,
                    idempotency: store.idempotentCall(for: call, at: now))
            }
        }
        return try await reply(with: try counted.get(), request.client)
    }

    private func prepare(
        _ proof: Proof, _ requestRealm: Realm, linkingTo linkIDToken: Secret<String>?, _ client: ClientContext,
        _ call: BusCall, at now: Moment
    ) async throws -> (PreparedEmailSignIn, BlockingFunctionContext) {
        var realm = requestRealm
        var linking: Principal?
        var presented: AuthenticationContext?
        var authentication = AuthenticationContext(
            authenticatedAt: now.timestamp, signInProvider: "password", isByEmail: true)
        if linkIDToken != nil {
            let current = try await authenticator.authenticateToContinue(linkIDToken, in: requestRealm, call)
            try current.stored.requireRecentSignIn(of: current.principal, at: now)
            realm = current.principal.realm
            linking = current.principal
            presented = current.authentication
            // A session that used a second factor, or has claims of its own, keeps them.
            authentication.secondFactor = current.authentication.secondFactor
            authentication.claims = current.authentication.claims
        }
        let project = try await projects.project(of: realm, traceID: call.trace.traceID)
        guard proof.isAllowed(by: project.configuration) else { throw ServiceError(.operationNotAllowed) }
        let newAccount = StoredAccount(id: AccountID(randomBytes: randomBytes), in: realm, at: now)
        let noticeContext = notices.context(project, locale: nil, call)
        return (
            PreparedEmailSignIn(
                linkingPrincipal: linking, presented: presented, newAccount: newAccount,
                allowsSelfSignUp: project.configuration.allowsSelfSignUp,
                firstFactor: sessions.prepareSignIn(
                    of: newAccount.account.id, in: realm, authentication: authentication,
                    SignInNotice(context, project, client, call), at: now),
                policy: SessionPolicy(project.configuration),
                emails: { before, after in
                    try notices.emailChange(from: before.account, to: after.account, noticeContext)
                },
                audit: AuditEntry(.signIn, .anonymous, realm, client, call, about: nil, at: now)),
            BlockingFunctionContext(project: project, client: client, signInMethod: proof.method)
        )
    }

    private func reply(
        with changed: ChangeResult<EmailSignInResult>, _ client: ClientContext
    ) async throws -> Identity.SignInWithEmailLink.Reply {
        let (before, after) = (changed.reply.before, changed.reply.result.account)
        wakeEmailLoop()
        if changed.revokesSessions { publish(.sessionsRevoked(after.realm, after.id)) }
        switch changed.reply.result {
        case .opened(let opened):
            return .init(
                account: opened.account, isNewAccount: before == nil,
                tokens: try await sessions.tokens(for: opened, client))
        case .pending(let account, let factors): return .init(account: account, secondFactor: factors)
        }
    }
}

import Bus
import Contracts
import Vocabulary

/// Creates an account for its owner: without credentials, or with an e-mail address and a password. With an ID token it
/// adds both to the account of the token.
struct SignUpHandler: IdentityComponent {
    let context: IdentityContext

    func signUp(_ request: Identity.SignUp, _ call: BusCall) async throws -> Identity.SignUp.Reply {
        if let idToken = request.linkIDToken {
            let opened = try await OwnAccountHandler(context: context).linkPassword(request, to: idToken, call)
            return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
        }
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsSelfSignUp else { throw ServiceError(.adminOnlyOperation) }
        let opened = try await store.reply(to: call, at: now()) {
            request.email == nil && request.password == nil
                ? try await signUpAnonymously(request, project, call)
                : try await signUpWithPassword(request, project, call)
        }
        return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private func signUpAnonymously(
        _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        guard project.configuration.allowsAnonymousSignIn else { throw ServiceError(.adminOnlyOperation) }
        return try await create(
            newAccount(in: request.realm, request), provider: AuthenticationContext.anonymousProvider, request, project,
            call)
    }

    private func signUpWithPassword(
        _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        guard project.configuration.allowsPasswordSignIn else { throw ServiceError(.operationNotAllowed) }
        let (email, password) = try request.requiredCredentials()
        var stored = try newAccount(in: request.realm, request)
        stored.account.email = email
        stored.setPassword(
            try await newPasswords.record(of: password, for: email, project, by: call.deadline), at: now())
        return try await create(stored, provider: "password", request, project, call)
    }

    private func newAccount(in realm: Realm, _ request: Identity.SignUp) throws(ServiceError) -> StoredAccount {
        var stored = StoredAccount(id: AccountID(randomBytes: randomBytes), in: realm, at: now())
        try stored.setProfile(displayName: request.displayName, photoURL: request.photoURL)
        return stored
    }

    /// Limits by address are off in dev mode, as the others are.
    private func quota(_ project: Project, _ client: ClientContext, at now: Moment) -> SignUpQuota? {
        isDev
            ? nil
            : SignUpQuota(
                project.configuration, of: project.id, for: client, at: now, digest: store.digest)
    }

    private func create(
        _ stored: StoredAccount, provider: String, _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        let now = now()
        var stored = stored
        stored.account.recordSignIn(at: now)
        let authentication = try SessionPolicy(project.configuration).authenticationContext(
            for: .init(
                operation: provider == AuthenticationContext.anonymousProvider ? .anonymousSignUp : .passwordSignUp,
                stored: stored,
                authentication: AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: provider)))
        let (session, token) = sessions.open(
            for: stored.account.id, in: stored.account.realm, authentication: authentication, client: request.client,
            at: now)
        let quota = quota(project, request.client, at: now)
        let context = BlockingFunctionContext(
            project: project, client: request.client, quota: quota,
            isExempt: provider == AuthenticationContext.anonymousProvider)
        return try await blockingFunctions.run(context, call) { responses in
            try await store.signUp(
                stored, session: session, refreshToken: token, within: quota, responses,
                audit: AuditEntry(
                    .accountCreated, .account(stored.account.id), request.realm, request.client, call,
                    about: stored.account.id, at: now),
                idempotency: store.idempotentCall(for: call, at: now))
        }
    }
}

extension Identity.SignUp {
    /// The e-mail address and the password to set, in the order in which the protocol reports errors.
    /// - Throws: `missingEmail`, `invalidEmail`, `missingPassword`.
    func requiredCredentials() throws(ServiceError) -> (EmailAddress, String) {
        guard let email = email?.nilIfEmpty else { throw ServiceError(.missingEmail) }
        let address = try EmailAddress(checking: email)
        guard let password = password?.reveal().nilIfEmpty else { throw ServiceError(.missingPassword) }
        return (address, password)
    }
}

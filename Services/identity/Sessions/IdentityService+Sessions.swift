import Bus
import Contracts
import Vocabulary

// MARK: Sign-up

extension IdentityService {
    func signUp(_ request: Identity.SignUp, _ call: BusCall) async throws -> Identity.SignUp.Reply {
        if let idToken = request.linkTo {
            let opened = try await linkPassword(request, to: idToken, call)
            return .init(account: opened.account, tokens: try await tokens(for: opened, request.client))
        }
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsSelfSignUp else { throw IdentityError.adminOnlyOperation }
        let opened: OpenedSession =
            if let recorded = try await dependencies.store.recordedReply(OpenedSession.self, idempotentCall(for: call))
            {
                recorded
            } else if request.email == nil, request.password == nil {
                try await signUpAnonymously(request, project, call)
            } else {
                try await signUpWithPassword(request, project, call)
            }
        return .init(account: opened.account, tokens: try await tokens(for: opened, request.client))
    }

    private func signUpAnonymously(
        _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        guard project.configuration.allowsAnonymousSignIn else { throw IdentityError.adminOnlyOperation }
        return try await create(
            newAccount(in: request.realm, request), provider: "anonymous", request, project, call)
    }

    private func signUpWithPassword(
        _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        guard project.configuration.allowsPasswordSignIn else { throw IdentityError.operationNotAllowed }
        let (email, password) = try credentials(request.email, request.password?.reveal())
        var stored = try newAccount(in: request.realm, request)
        stored.account.email = email
        stored.setPassword(
            try await record(of: password, for: email, project, call), at: dependencies.now())
        return try await create(stored, provider: "password", request, project, call)
    }

    private func newAccount(in realm: Realm, _ request: Identity.SignUp) throws(IdentityError) -> StoredAccount {
        var stored = emptyAccount(id: newAccountID(), in: realm)
        try stored.setProfile(displayName: request.displayName, photoURL: request.photoURL)
        return stored
    }

    /// Limits by address are off in dev mode, as the others are.
    private func quota(_ project: Project, _ client: ClientContext, at now: Moment) -> SignUpQuota? {
        dependencies.isDev ? nil : SignUpQuota(project.configuration, of: project.id, for: client, at: now)
    }

    private func create(
        _ stored: StoredAccount, provider: String, _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        let now = dependencies.now()
        var stored = stored
        stored.account.lastSignInAt = now
        let authentication = try SessionPolicy(project.configuration).authenticationContext(
            for: .init(
                operation: provider == "anonymous" ? .anonymousSignUp : .passwordSignUp, stored: stored,
                authentication: AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: provider)))
        let (session, token) = open(
            for: stored.account.id, in: stored.account.realm, authentication: authentication, at: now)
        return try await dependencies.store.create(
            stored, session: session, within: quota(project, request.client, at: now),
            audit: auditEntry(
                .accountCreated, .account(stored.account.id), request.realm, request.client, call,
                about: stored.account.id),
            once: idempotentCall(for: call),
            reply: OpenedSession(account: stored.account, authentication: authentication, refreshToken: token.text))
    }
}

// MARK: - Sessions and tokens

extension IdentityService {
    func refreshSession(
        _ request: Identity.RefreshSession, _ call: BusCall
    ) async throws -> Identity.RefreshSession.Reply {
        guard let text = request.refreshToken?.reveal().nilIfEmpty else { throw IdentityError.missingRefreshToken }
        guard let token = RefreshToken(text) else { throw IdentityError.invalidRefreshToken }
        let project = try await dependencies.projects.project(request.project, traceID: call.trace.traceID)
        let now = dependencies.now()
        let refresh = try await dependencies.store.redeem(
            token, of: request.project, at: now, salt: dependencies.randomBytes(RefreshToken.secretBytes),
            grace: dependencies.refreshGrace, traceID: call.trace.traceID)
        switch refresh {
        case .refused(let error): throw error
        case .refreshed(let stored, let authentication, let successor):
            let account = stored.account
            // After the redemption, which alone knows the tenant; its client goes on with the token it has.
            let inside = try await dependencies.projects.project(of: account.realm, traceID: call.trace.traceID)
            let authentication = try SessionPolicy(inside.configuration).authenticationContext(
                for: .init(
                    operation: .refresh, stored: stored, authentication: authentication, presented: authentication))
            let opened = OpenedSession(account: account, authentication: authentication, refreshToken: successor.text)
            return .init(
                accountID: account.id, projectNumber: project.number, tokens: try await tokens(for: opened, nil))
        }
    }

    func verifyIDToken(
        _ request: Identity.VerifyIDToken, _ call: BusCall
    ) async throws -> Identity.VerifyIDToken.Reply {
        .init(principal: try await session(behind: request.idToken, in: request.realm, call).principal)
    }
}

import Bus
import Contracts
import Vocabulary

// MARK: Sign-up

extension IdentityService {
    func signUp(_ request: Identity.SignUp, _ call: BusCall) async throws -> Identity.SignUp.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsSelfSignUp else { throw IdentityError.administratorsOnly }
        let opened: OpenedSession =
            if let recorded = try await dependencies.store.recorded(OpenedSession.self, once(call)) {
                recorded
            } else if request.email == nil, request.password == nil, request.linkTo == nil {
                try await signUpAnonymously(request, project, call)
            } else if let idToken = request.linkTo {
                try await linkPassword(request, to: idToken, call)
            } else {
                try await signUpWithPassword(request, project, call)
            }
        return .init(account: opened.account, tokens: try await tokens(for: opened))
    }

    private func signUpAnonymously(
        _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        guard project.configuration.allowsAnonymousSignIn else { throw IdentityError.administratorsOnly }
        return try await create(
            newAccount(in: request.realm, request), provider: "anonymous", request, project, call)
    }

    private func signUpWithPassword(
        _ request: Identity.SignUp, _ project: Project, _ call: BusCall
    ) async throws -> OpenedSession {
        guard project.configuration.allowsPasswordSignIn else { throw IdentityError.operationNotAllowed }
        let (email, password) = try credentials(request.email, request.password?.reveal())
        var stored = newAccount(in: request.realm, request)
        stored.account.email = email
        stored.setPassword(
            try await record(of: password, for: email, project, call), at: dependencies.now())
        return try await create(stored, provider: "password", request, project, call)
    }

    /// Gives the account behind an ID token an e-mail address and a password, which ends its earlier sessions.
    private func linkPassword(
        _ request: Identity.SignUp, to idToken: Secret<String>, _ call: BusCall
    ) async throws -> OpenedSession {
        let (principal, current) = try await authenticate(idToken, in: request.realm)
        // The token says which realm it is, where the request is silent.
        let project = try await dependencies.projects.project(of: principal.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsPasswordSignIn else { throw IdentityError.operationNotAllowed }
        let (email, password) = try credentials(request.email, request.password?.reveal())
        if !current.account.isAnonymous { try demandRecentSignIn(principal) }
        let passwordRecord = try await record(of: password, for: email, project, call)
        let now = dependencies.now()
        let facts = SessionFacts(authenticatedAt: now.timestamp, signInProvider: "password")
        let (session, token) = open(for: current.account.id, in: current.account.realm, facts: facts, at: now)
        return try await dependencies.store.change(
            current.account.id, in: current.account.realm, session: session,
            audit: entry(
                .passwordLinked, .account(current.account.id), current.account.realm, request.client, call,
                about: current.account.id),
            once: once(call)
        ) { stored in
            try stored.admit(issuedAt: principal.issuedAt)
            if stored.account.email?.folded != email.folded { stored.account.emailVerified = false }
            stored.account.email = email
            stored.account.displayName = request.displayName?.nilIfEmpty ?? stored.account.displayName
            stored.account.photoURL = request.photoURL?.nilIfEmpty ?? stored.account.photoURL
            stored.account.lastSignInAt = now
            stored.setPassword(passwordRecord, at: now)
            return OpenedSession(account: stored.account, facts: facts, refreshToken: token.text)
        }
    }

    private func newAccount(in realm: Realm, _ request: Identity.SignUp) -> StoredAccount {
        var stored = blankAccount(id: newAccountID(), in: realm)
        stored.account.displayName = request.displayName?.nilIfEmpty
        stored.account.photoURL = request.photoURL?.nilIfEmpty
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
        let facts = SessionFacts(authenticatedAt: now.timestamp, signInProvider: provider)
        let (session, token) = open(for: stored.account.id, in: stored.account.realm, facts: facts, at: now)
        return try await dependencies.store.create(
            stored, session: session, within: quota(project, request.client, at: now),
            audit: entry(
                .accountCreated, .account(stored.account.id), request.realm, request.client, call,
                about: stored.account.id),
            once: once(call), reply: OpenedSession(account: stored.account, facts: facts, refreshToken: token.text))
    }
}

// MARK: - Sign-in with a password

extension IdentityService {
    func signInWithPassword(
        _ request: Identity.SignInWithPassword, _ call: BusCall
    ) async throws -> Identity.SignInWithPassword.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsPasswordSignIn else { throw IdentityError.passwordSignInDisabled }
        guard let text = request.email?.nilIfEmpty else { throw IdentityError.missingEmail }
        let email = try EmailAddress(checking: text)
        guard let passwordText = request.password?.reveal().nilIfEmpty else { throw IdentityError.missingPassword }
        let opened = try await dependencies.passwords.withPlace {
            try await dependencies.lanes.pass(email, in: request.realm) {
                try await judge(email, passwordText, request, project, call)
            }
        }
        return .init(account: opened.account, tokens: try await tokens(for: opened))
    }

    /// One attempt: counted, judged, and either refused without telling why or turned into a session.
    private func judge(
        _ email: EmailAddress, _ passwordText: String, _ request: Identity.SignInWithPassword, _ project: Project,
        _ call: BusCall
    ) async throws -> OpenedSession {
        var audit = entry(.signIn, .stranger, request.realm, request.client, call, about: nil)
        audit.outcome = .limited
        let stored = try await dependencies.store.reserveAttempt(
            email, in: request.realm, at: dependencies.now(), refusal: audit)
        audit.accountID = stored?.account.id
        guard let password = Password(passwordText) else {
            try await refuse(stored == nil, project, audit)  // Longer than any password: not worth a hash.
        }
        let isRight: Bool
        do {
            isRight = try await dependencies.passwords.isRight(
                password, stored?.passwordRecord, by: call.deadline)
        } catch {
            try await dependencies.store.refundAttempt(email, in: request.realm, at: dependencies.now())
            throw error
        }
        guard isRight, let stored else { try await refuse(stored == nil, project, audit) }
        do {
            return try await openSession(of: stored, email, password, request, project, audit)
        } catch let error as IdentityError where error != Self.refusal(isUnknown: false, project) {
            // The password was right: what is refused for another reason is no guess.
            audit.outcome = .refused
            try await dependencies.store.refundAttempt(email, in: request.realm, at: dependencies.now(), audit: audit)
            throw error
        }
    }

    /// The rest of a sign-in whose password was right.
    private func openSession(
        of stored: StoredAccount, _ email: EmailAddress, _ password: Password, _ request: Identity.SignInWithPassword,
        _ project: Project, _ audit: AuditEntry
    ) async throws -> OpenedSession {
        if project.configuration.demandsPolicyAtSignIn {
            try project.configuration.passwordRules(isDev: dependencies.isDev).checkPolicy(password)
        }
        let now = dependencies.now()
        let facts = SessionFacts(authenticatedAt: now.timestamp, signInProvider: "password")
        let (session, token) = open(for: stored.account.id, in: request.realm, facts: facts, at: now)
        var audit = audit
        audit.actor = .account(stored.account.id)
        audit.outcome = .done
        let account = try await dependencies.store.completeSignIn(email, session: session, at: now, audit: audit) {
            current in
            // Changed while we were hashing: the password that was right is the one of before.
            guard current.passwordRecord == stored.passwordRecord else {
                throw Self.refusal(isUnknown: false, project)
            }
            guard !current.account.disabled else { throw IdentityError.accountDisabled }
            guard current.account.secondFactors.isEmpty else { throw IdentityError.secondFactorNotServed }
        }
        return OpenedSession(account: account, facts: facts, refreshToken: token.text)
    }

    private func refuse(_ isUnknown: Bool, _ project: Project, _ audit: AuditEntry) async throws -> Never {
        var audit = audit
        audit.outcome = .refused
        try await dependencies.store.audit(audit)
        throw Self.refusal(isUnknown: isUnknown, project)
    }

    private static func refusal(isUnknown: Bool, _ project: Project) -> IdentityError {
        if project.configuration.hidesRegisteredEmails { return .invalidCredentials }
        return isUnknown ? .emailNotFound : .wrongPassword
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
            traceID: call.trace.traceID)
        switch refresh {
        case .refused(let error): throw error
        case .refreshed(let account, let facts, let successor):
            // After the redemption, which alone knows the tenant; its client goes on with the token it has.
            _ = try await dependencies.projects.project(of: account.realm, traceID: call.trace.traceID)
            let opened = OpenedSession(account: account, facts: facts, refreshToken: successor.text)
            return .init(
                accountID: account.id, projectNumber: project.number, tokens: try await tokens(for: opened))
        }
    }

    func resolvePrincipal(_ request: Identity.ResolvePrincipal) async throws -> Identity.ResolvePrincipal.Reply {
        .init(principal: try await authenticate(request.idToken, in: request.realm).principal)
    }

    func lookUpOwnAccount(_ request: Identity.LookUpOwnAccount) async throws -> Identity.LookUpOwnAccount.Reply {
        .init(account: try await authenticate(request.idToken, in: request.realm).stored.account)
    }

    func deleteOwnAccount(_ request: Identity.DeleteOwnAccount, _ call: BusCall) async throws -> Done {
        if let recorded = try await dependencies.store.recorded(Done.self, once(call)) { return recorded }
        let (principal, stored) = try await authenticate(request.idToken, in: request.realm)
        guard request.accountID == nil || request.accountID == principal.accountID else {
            throw IdentityError.accountMismatch
        }
        let project = try await dependencies.projects.project(of: principal.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsSelfDeletion else { throw IdentityError.administratorsOnly }
        try demandRecentSignIn(principal)
        try await dependencies.store.delete(
            stored.account.id, in: principal.realm, at: dependencies.now(),
            audit: entry(
                .accountDeleted, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID),
            once: once(call)
        ) { current in try current.admit(issuedAt: principal.issuedAt) }
        dependencies.publish(.sessionsRevoked(principal.realm, principal.accountID))
        return Done()
    }
}

import Bus
import Contracts
import Vocabulary

/// A password that somebody gives for an address: to sign in, or to replace it.
private struct PasswordAttempt: Sendable {
    var realm: Realm
    var email: EmailAddress
    var password: String
    var origin: AttemptOrigin
    /// As it will stand in the audit log, whatever comes of it.
    var audit: AuditEntry
}

/// What is known once a password was right.
private struct VerifiedPassword: Sendable {
    /// The account as it was when the password was compared.
    var stored: StoredAccount
    var reserved: ReservedAttempt
    var password: Password
    var audit: AuditEntry
}

// MARK: - Sign-in

extension IdentityService {
    func signInWithPassword(
        _ request: Identity.SignInWithPassword, _ call: BusCall
    ) async throws -> Identity.SignInWithPassword.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        let attempt = try await attempt(
            request.email, request.password, .signIn, in: request.realm, request.client, project, call)
        let result = try await withVerifiedPassword(attempt, project, call) { proved in
            try await signIn(proved, project)
        }
        switch result {
        case .opened(let opened):
            return .init(account: opened.account, tokens: try await tokens(for: opened, request.client))
        case .pending(let account, let factors): return .init(account: account, secondFactor: factors)
        }
    }

    /// The rest of a sign-in whose password was right.
    private func signIn(_ proved: VerifiedPassword, _ project: Project) async throws -> SignInResult {
        if project.configuration.enforcesPolicyAtSignIn {
            try project.configuration.passwordRules(isDev: dependencies.isDev).checkPolicy(proved.password)
        }
        let account = proved.stored.account
        let firstFactor = firstFactor(of: account.id, in: account.realm, provider: "password")
        return try await dependencies.store.completeSignIn(
            proved.reserved, firstFactor, SessionPolicy(project.configuration), audit: proved.audit
        ) { current in
            // Changed while we were hashing: the password that was right is the one of before.
            guard current.passwordRecord == proved.stored.passwordRecord else {
                throw Self.passwordError(isUnknown: false, project)
            }
            guard !current.account.disabled else { throw IdentityError.accountDisabled }
        }
    }
}

// MARK: - Change by whoever knows the old one

extension IdentityService {
    func changePassword(
        _ request: Identity.ChangePassword, _ call: BusCall
    ) async throws -> Identity.ChangePassword.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        let attempt = try await attempt(
            request.email, request.oldPassword, .passwordChanged, in: request.realm, request.client, project, call)
        guard let text = request.newPassword?.reveal().nilIfEmpty else { throw IdentityError.missingPassword }
        return try await withVerifiedPassword(attempt, project, call) { proved in
            let account = proved.stored.account
            let passwordRecord = try await record(of: text, for: account.email, project, call)
            let now = dependencies.now()
            let context = notices(project, locale: request.locale, call)
            let reply = try await change(
                account.id, in: account.realm, audit: proved.audit, once: nil,
                mails: { _, after in
                    [passwordChangeNotice(of: after.account, to: after.account.email ?? attempt.email, context)]
                }
            ) { current in
                guard current.passwordRecord == proved.stored.passwordRecord else {
                    throw Self.passwordError(isUnknown: false, project)
                }
                guard !current.account.disabled else { throw IdentityError.accountDisabled }
                current.setPassword(passwordRecord, at: now)
                return Identity.ChangePassword.Reply(account: current.account)
            }
            try await dependencies.store.refund(proved.reserved, in: request.realm, at: now)
            return reply
        }
    }
}

// MARK: - Attempts

extension IdentityService {
    private func attempt(
        _ email: String?, _ password: Secret<String>?, _ action: AuditEntry.Action, in realm: Realm,
        _ client: ClientContext, _ project: Project, _ call: BusCall
    ) async throws -> PasswordAttempt {
        guard project.configuration.allowsPasswordSignIn else { throw IdentityError.passwordSignInDisabled }
        guard let text = email?.nilIfEmpty else { throw IdentityError.missingEmail }
        let email = try EmailAddress(checking: text)
        guard let password = password?.reveal().nilIfEmpty else { throw IdentityError.missingPassword }
        return PasswordAttempt(
            realm: realm, email: email, password: password,
            origin: try await dependencies.store.origin(
                of: client, trying: email, in: realm, at: dependencies.now()),
            audit: auditEntry(action, .anonymous, realm, client, call, about: nil))
    }

    /// One attempt: counted, judged, and either refused without telling why or handed on.
    private func withVerifiedPassword<Result: Sendable>(
        _ attempt: PasswordAttempt, _ project: Project, _ call: BusCall,
        _ goOn: @Sendable (VerifiedPassword) async throws -> Result
    ) async throws -> Result {
        try await dependencies.passwords.withSlot {
            try await dependencies.attemptLimiter.run(attempt.email, in: attempt.realm, for: attempt.origin) {
                let proved = try await verifyPassword(attempt, project, call)
                do {
                    return try await goOn(proved)
                } catch let error as IdentityError where error != Self.passwordError(isUnknown: false, project) {
                    // The password was right: what is refused for another reason is no guess.
                    var audit = proved.audit
                    audit.outcome = .refused
                    try await dependencies.store.refund(
                        proved.reserved, in: attempt.realm, at: dependencies.now(), audit: audit)
                    throw error
                }
            }
        }
    }

    private func verifyPassword(
        _ attempt: PasswordAttempt, _ project: Project, _ call: BusCall
    ) async throws -> VerifiedPassword {
        var audit = attempt.audit
        audit.outcome = .rateLimited
        let reserved = try await dependencies.store.reserveAttempt(
            attempt.email, in: attempt.realm, from: attempt.origin, at: dependencies.now(), refusal: audit)
        let stored = reserved.isEvaluated ? reserved.stored : nil
        audit.accountID = reserved.stored?.account.id
        guard let password = Password(attempt.password) else {
            try await refuse(reserved, project, audit)  // Longer than any password: not worth a hash.
        }
        let isRight: Bool
        do {
            isRight = try await dependencies.passwords.isRight(password, stored?.passwordRecord, by: call.deadline)
        } catch {
            try await dependencies.store.refund(reserved, in: attempt.realm, at: dependencies.now())
            throw error
        }
        guard isRight, let stored else { try await refuse(reserved, project, audit) }
        audit.actor = .account(stored.account.id)
        audit.outcome = .succeeded
        return VerifiedPassword(stored: stored, reserved: reserved, password: password, audit: audit)
    }

    private func refuse(_ reserved: ReservedAttempt, _ project: Project, _ audit: AuditEntry) async throws -> Never {
        var audit = audit
        audit.outcome = reserved.isEvaluated ? .refused : .rateLimited
        try await dependencies.store.audit(audit)
        switch reserved.verdict {
        case .judged: throw Self.passwordError(isUnknown: reserved.stored == nil, project)
        case .judgedInSilence(let until), .refused(let until): throw IdentityError.tooManyAttempts(until: until)
        }
    }

    private static func passwordError(isUnknown: Bool, _ project: Project) -> IdentityError {
        if project.configuration.preventsEmailEnumeration { return .invalidCredentials }
        return isUnknown ? .emailNotFound : .invalidPassword
    }
}

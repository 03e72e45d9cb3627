import Bus
import Contracts
import Vocabulary

/// Signs in with an e-mail address and a password.
struct PasswordSignInHandler: IdentityComponent {
    let context: IdentityContext

    func signIn(
        _ request: Identity.SignInWithPassword, _ call: BusCall
    ) async throws -> Identity.SignInWithPassword.Reply {
        // 1. Resolve the project and check the input, unless the queue of the hasher is full.
        try hasher.requireFreeSlot()
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let attempt = try await verification.attempt(
            request.email, request.password, .signIn, in: request.realm, request.client, project, call)
        let event = BlockingFunctionContext(project: project, client: request.client)
        let (verified, firstFactor, completion) = try await verification.withSlot(for: attempt) {
            // 2. Reserve the attempt: it counts before the password is compared.
            let reserved = try await verification.reserve(attempt)
            // 3. Verify the password in the bounded pool of the hasher.
            let verified = try await verification.verify(attempt, reserved, by: call.deadline)
            // 4. Complete the sign-in in one transaction.
            let firstFactor = prepareSignIn(verified, SignInNotice(context, project, request.client, call))
            let completion = try await verification.refundingOtherRefusals(verified) {
                try await blockingFunctions.attempt(blockingFunctions.responses(to: event)) {
                    try await complete(verified, firstFactor.with($0), project)
                }
            }
            // The password matched. Further attempts are not delayed by a slow function.
            if case .failure = completion { try await store.refund(verified.reserved, in: request.realm, at: now()) }
            return (verified, firstFactor, completion)
        }
        // 5. Call the blocking functions that it requires. A slow one occupies no slot of the hasher.
        let result = try await verification.auditingRefusals(verified) {
            try await blockingFunctions.run(event, call, first: completion) {
                try await complete(verified, firstFactor.with($0), project)
            }
        }
        // 6. Issue the tokens.
        return try await sessions.reply(to: result, request.client)
    }

    private func prepareSignIn(_ verified: VerifiedPassword, _ notice: SignInNotice) -> PreparedSignIn {
        let (account, now) = (verified.stored.account, now())
        return sessions.prepareSignIn(
            of: account.id, in: account.realm,
            authentication: AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: "password"),
            notice, at: now)
    }

    /// Opens the session, or stores a pending sign-in, as `SessionPolicy` decides.
    private func complete(
        _ verified: VerifiedPassword, _ firstFactor: PreparedSignIn, _ project: Project
    ) async throws -> SignInResult {
        if project.configuration.enforcesPolicyAtSignIn {
            try project.configuration.passwordRules(isDev: isDev).checkPolicy(verified.password)
        }
        return try await store.completeSignIn(
            verified.reserved, firstFactor, SessionPolicy(project.configuration), audit: verified.audit,
            replacement: verified.replacement, authorize: verified.requireUnchanged)
    }
}

// MARK: - Steps 1 to 3, for a sign-in and for a change of the password

/// An attempt with a password for an address.
struct PasswordAttempt: Sendable {
    var realm: Realm
    var email: EmailAddress
    var password: String
    var origin: AttemptOrigin
    /// The time of every refusal in the realm.
    var oldHashTime: OldHashTime
    /// The entry of the audit log, for any outcome.
    var audit: AuditEntry
    /// The project hides whether an address has an account.
    var preventsEmailEnumeration: Bool

    /// The refusal of an unknown address or of a password that does not match.
    func rejection(isUnknown: Bool) -> ServiceError {
        if preventsEmailEnumeration { return ServiceError(.invalidCredentials) }
        return isUnknown ? ServiceError(.emailNotFound) : ServiceError(.invalidPassword)
    }
}

/// An attempt with the right password.
struct VerifiedPassword: Sendable {
    var attempt: PasswordAttempt
    /// The account as it was when the password was compared.
    var stored: StoredAccount
    var reserved: ReservedAttempt
    var password: Password
    /// The successor of the record of an imported password.
    var replacement: PasswordHasher.Replacement?
    var audit: AuditEntry

    /// Checks the account that the completing transaction reads: a password that was changed during the hashing no
    /// longer matches.
    /// - Throws: `PasswordAttempt.rejection`, `accountDisabled`.
    func requireUnchanged(_ current: StoredAccount) throws(ServiceError) {
        guard current.passwordRecord == stored.passwordRecord || isReplaced(in: current) else {
            throw attempt.rejection(isUnknown: false)
        }
        guard !current.account.disabled else { throw ServiceError(.accountDisabled) }
    }

    /// Another sign-in has replaced the record of the same imported password.
    private func isReplaced(in current: StoredAccount) -> Bool {
        replacement != nil && current.passwordRecord != nil
            && current.account.passwordChangedAt == stored.account.passwordChangedAt
    }
}

/// Counts attempts at the password of an address, and verifies the password.
struct PasswordVerification: IdentityComponent {
    let context: IdentityContext

    /// The attempt of a request.
    /// - Throws: `passwordSignInDisabled`, `missingEmail`, `invalidEmail`, `missingPassword`.
    func attempt(
        _ email: String?, _ password: Secret<String>?, _ action: AuditEntry.Action, in realm: Realm,
        _ client: ClientContext, _ project: Project, _ call: BusCall
    ) async throws -> PasswordAttempt {
        guard project.configuration.allowsPasswordSignIn else { throw ServiceError(.passwordSignInDisabled) }
        guard let text = email?.nilIfEmpty else { throw ServiceError(.missingEmail) }
        let email = try EmailAddress(checking: text)
        guard let password = password?.reveal().nilIfEmpty else { throw ServiceError(.missingPassword) }
        let (origin, slowest) = try await store.conditions(of: client, trying: email, in: realm, at: now())
        return PasswordAttempt(
            realm: realm, email: email, password: password, origin: origin,
            oldHashTime: OldHashTime(
                slowestMilliseconds: slowest, network: client.ipAddress.flatMap(ClientNetwork.init)),
            audit: AuditEntry(action, .anonymous, realm, client, call, about: nil, at: now()),
            preventsEmailEnumeration: project.configuration.preventsEmailEnumeration)
    }

    /// Runs `body` with a slot of the hasher, when the attempts of the same client at the same address permit it.
    /// - Throws: `overloaded` when a queue is full, before anything is counted; errors of `body`.
    func withSlot<Result: Sendable>(
        for attempt: PasswordAttempt, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await hasher.withSlot {
            try await context.attemptLimiter.run(attempt.email, in: attempt.realm, for: attempt.origin, body)
        }
    }

    /// Counts the attempt, and loads the account of the address.
    /// - Throws: `tooManyAttempts`.
    func reserve(_ attempt: PasswordAttempt) async throws -> ReservedAttempt {
        var audit = attempt.audit
        audit.outcome = .rateLimited
        return try await store.reserveAttempt(
            attempt.email, in: attempt.realm, from: attempt.origin, at: now(), audit: audit)
    }

    /// Compares the password on a thread of the hasher. Without an account it takes the same time.
    /// - Throws: `PasswordAttempt.rejection`, `tooManyAttempts`, `overloaded`; an attempt that was not compared is
    /// refunded.
    func verify(
        _ attempt: PasswordAttempt, _ reserved: ReservedAttempt, by deadline: Moment
    ) async throws -> VerifiedPassword {
        let stored = reserved.isEvaluated ? reserved.stored : nil
        // A password above the maximum length matches no record, so it is not hashed.
        guard let password = Password(attempt.password) else { try await refuse(attempt, reserved) }
        if let wait = context.oldHashBudgets?.charge(attempt) {
            var audit = attempt.audit
            audit.accountID = reserved.stored?.account.id
            audit.outcome = .rateLimited
            try await store.refund(reserved, in: attempt.realm, at: now(), audit: audit)
            throw ServiceError.limited(by: .importedPasswordTime, until: now() + wait)
        }
        let comparison: PasswordHasher.Comparison
        do {
            comparison = try await hasher.compare(
                password, with: stored?.passwordRecord, refusingAfter: attempt.oldHashTime, by: deadline)
        } catch {
            context.oldHashBudgets?.refund(attempt)
            try await store.refund(reserved, in: attempt.realm, at: now())
            throw error
        }
        guard case .equal(let replacement) = comparison, let stored else { try await refuse(attempt, reserved) }
        context.oldHashBudgets?.refund(attempt)
        var audit = attempt.audit
        audit.accountID = stored.account.id
        audit.actor = .account(stored.account.id)
        return VerifiedPassword(
            attempt: attempt, stored: stored, reserved: reserved, password: password, replacement: replacement,
            audit: audit)
    }

    private func refuse(_ attempt: PasswordAttempt, _ reserved: ReservedAttempt) async throws -> Never {
        var audit = attempt.audit
        audit.accountID = reserved.stored?.account.id
        audit.outcome = reserved.isEvaluated ? .refused : .rateLimited
        try await store.audit(audit)
        switch reserved.decision {
        case .evaluated: throw attempt.rejection(isUnknown: reserved.stored == nil)
        case .evaluatedAsLimited(let until), .refused(let until):
            throw ServiceError.limited(by: .passwordAttempts, until: until)
        }
    }

    /// Runs `body`. If it throws another error than a wrong password, the attempt is refunded: the password matched.
    func refundingOtherRefusals<Result: Sendable>(
        _ verified: VerifiedPassword, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as ServiceError where error != verified.attempt.rejection(isUnknown: false) {
            var audit = verified.audit
            audit.outcome = .refused
            try await store.refund(verified.reserved, in: verified.attempt.realm, at: now(), audit: audit)
            throw error
        }
    }

    /// Runs `body`. If it refuses, the audit log gets an entry; the attempt was refunded before.
    func auditingRefusals<Result: Sendable>(
        _ verified: VerifiedPassword, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as ServiceError {
            var audit = verified.audit
            audit.outcome = .refused
            try await store.audit(audit)
            throw error
        }
    }
}

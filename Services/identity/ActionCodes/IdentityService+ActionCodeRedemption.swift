import Bus
import Contracts
import Crypto
import Vocabulary

/// Using the codes that went out.
extension IdentityService {
    func inspectActionCode(
        _ request: Identity.InspectActionCode, _ call: BusCall
    ) async throws -> Identity.InspectActionCode.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        let (code, account) = try await dependencies.store.actionCode(
            try text(of: request.code), in: request.realm)
        try code.validate(at: dependencies.now())
        // `try?`: a page that is asked to lead on to elsewhere does not lead on.
        let continueURL = request.continueURL.flatMap { url in
            try? project.configuration.authorizedURL(url, isDev: dependencies.isDev)
        }
        let rules = project.configuration.passwordRules(isDev: dependencies.isDev)
        return .init(
            purpose: code.purpose, email: code.email, newEmail: code.newEmail,
            secondFactor: account?.secondFactors.first { $0.id == code.factorID },
            passwordDemands: code.purpose == .passwordReset ? rules.demands : nil, continueURL: continueURL?.text,
            signInMethods: account.flatMap(code.rejectableMethods))
    }

    func resetPassword(_ request: Identity.ResetPassword, _ call: BusCall) async throws -> Identity.ResetPassword.Reply
    {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        let changed =
            if let recorded = try await dependencies.store.recordedReply(
                ChangeResult<ChangedAccount>.self, idempotentCall(for: call))
            {
                recorded
            } else {
                try await reset(request, project, call)
            }
        let (email, account) = (changed.reply.email, changed.reply.account)
        if changed.revokesSessions { publishSessionsRevoked(account.id, in: account.realm) }
        return .init(email: email)
    }

    private struct ChangedAccount: Codable, Sendable {
        var email: EmailAddress
        var account: Account
    }

    private func reset(
        _ request: Identity.ResetPassword, _ project: Project, _ call: BusCall
    ) async throws -> ChangeResult<ChangedAccount> {
        guard project.configuration.allowsPasswordSignIn else { throw IdentityError.passwordSignInDisabled }
        let text = try text(of: request.code)
        let (code, account) = try await dependencies.store.actionCode(text, in: request.realm)
        guard code.purpose == .passwordReset, let account else { throw IdentityError.invalidActionCode }
        let now = dependencies.now()
        try code.validate(account, at: now)
        guard let password = request.newPassword?.reveal().nilIfEmpty else { throw IdentityError.missingPassword }
        let passwordRecord = try await dependencies.passwords.withSlot {
            try await record(of: password, for: code.email, project, call)
        }
        let context = notices(project, locale: request.locale, call)
        defer { dependencies.wakeMailDispatcher() }
        return try await dependencies.store.redeem(
            text, for: [.passwordReset], in: request.realm, at: now,
            audit: auditEntry(.passwordReset, .anonymous, request.realm, request.client, call, about: nil),
            once: idempotentCall(for: call),
            mails: { code, _, after in [passwordChangeNotice(of: after.account, to: code.email, context)] }
        ) { code, stored in
            stored.resetPassword(passwordRecord, at: now)
            return ChangedAccount(email: code.email, account: stored.account)
        }
    }

    func applyActionCode(
        _ request: Identity.ApplyActionCode, _ call: BusCall
    ) async throws -> Identity.ApplyActionCode.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        let now = dependencies.now()
        let context = notices(project, locale: request.locale, call)
        let applied = try await dependencies.store.redeem(
            try text(of: request.code),
            for: [.verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition],
            in: request.realm, at: now,
            audit: auditEntry(.accountUpdated, .anonymous, request.realm, request.client, call, about: nil),
            once: idempotentCall(for: call),
            mails: { code, before, after in
                guard code.purpose == .verifyAndChangeEmail else { return [] }
                return try emailChangeNotice(from: before.account, to: after.account, context)
            }
        ) { code, stored in
            try stored.apply(code, at: now)
            return Identity.ApplyActionCode.Reply(
                purpose: code.purpose, account: stored.account,
                newEmail: code.purpose == .verifyAndChangeEmail ? code.newEmail : nil)
        }
        let reply = applied.reply
        dependencies.wakeMailDispatcher()
        if applied.revokesSessions { publishSessionsRevoked(reply.account.id, in: request.realm) }
        return reply
    }

    func rejectEmailVerification(
        _ request: Identity.RejectEmailVerification, _ call: BusCall
    ) async throws -> Identity.RejectEmailVerification.Reply {
        _ = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        let now = dependencies.now()
        let rejected = try await dependencies.store.rejectVerification(
            try text(of: request.code), in: request.realm, at: now,
            audit: auditEntry(
                .emailVerificationRejected, .anonymous, request.realm, request.client, call, about: nil),
            once: idempotentCall(for: call)
        ) { code, stored in
            try stored.rejectVerification(at: now)
            return RejectedVerification(accountID: stored.account.id, reply: .init(email: code.email))
        }
        if rejected.revokesSessions { publishSessionsRevoked(rejected.reply.accountID, in: request.realm) }
        return rejected.reply.reply
    }

    private struct RejectedVerification: Codable, Sendable {
        var accountID: AccountID
        var reply: Identity.RejectEmailVerification.Reply
    }

    /// The code of a request.
    /// - Throws: `missingActionCode`, `invalidActionCode`.
    func text(of code: Secret<String>?) throws(IdentityError) -> ActionCode.Text {
        guard let code = code?.reveal().nilIfEmpty else { throw .missingActionCode }
        guard let text = ActionCode.Text(code) else { throw .invalidActionCode }
        return text
    }
}

// MARK: - Sign-in by link

extension IdentityService {
    func signInWithEmailLink(
        _ request: Identity.SignInWithEmailLink, _ call: BusCall
    ) async throws -> Identity.SignInWithEmailLink.Reply {
        let done =
            if let recorded = try await dependencies.store.recordedReply(
                ChangeResult<EmailLinkSignInResult>.self, idempotentCall(for: call))
            {
                recorded
            } else {
                try await signIn(request, call)
            }
        let (before, after) = (done.reply.before, done.reply.result.account)
        dependencies.wakeMailDispatcher()
        if done.revokesSessions { publishSessionsRevoked(after.id, in: after.realm) }
        switch done.reply.result {
        case .opened(let opened):
            return .init(
                account: opened.account, isNewAccount: before == nil,
                tokens: try await tokens(for: opened, request.client))
        case .pending(let account, let factors): return .init(account: account, secondFactor: factors)
        }
    }

    private struct EmailLinkSignInResult: Codable, Sendable {
        var result: SignInResult
        /// nil for a new account.
        var before: Account?
    }

    private func signIn(
        _ request: Identity.SignInWithEmailLink, _ call: BusCall
    ) async throws -> ChangeResult<EmailLinkSignInResult> {
        var realm = request.realm
        var linking: Principal?
        var presented: AuthenticationContext?
        var authentication = AuthenticationContext(
            authenticatedAt: dependencies.now().timestamp, signInProvider: "password")
        if request.linkTo != nil {
            let current = try await continuedSession(behind: request.linkTo, in: request.realm, call)
            if !current.stored.account.isAnonymous { try requireRecentSignIn(current.principal) }
            realm = current.principal.realm
            linking = current.principal
            presented = current.authentication
            // A session that used a second factor, or has claims of its own, keeps them.
            authentication.secondFactor = current.authentication.secondFactor
            authentication.claims = current.authentication.claims
        }
        let project = try await dependencies.projects.project(of: realm, traceID: call.trace.traceID)
        guard project.configuration.allowsEmailLinkSignIn else { throw IdentityError.operationNotAllowed }
        guard let emailText = request.email?.nilIfEmpty else { throw IdentityError.missingEmail }
        let email = try EmailAddress(checking: emailText)
        let text = try text(of: request.code)
        let now = dependencies.now()
        var newAccount = emptyAccount(id: newAccountID(), in: realm)
        newAccount.account.email = email
        let firstFactor = PreparedSignIn(
            for: newAccount.account.id, in: realm, authentication: authentication, at: now,
            randomBytes: dependencies.randomBytes)
        let allowsSelfSignUp = project.configuration.allowsSelfSignUp
        let context = notices(project, locale: nil, call)
        return try await dependencies.store.signIn(
            byLink: text,
            .init(
                email: email, linkTo: linking, presented: presented, newAccount: newAccount, firstFactor: firstFactor,
                policy: SessionPolicy(project.configuration)), at: now,
            audit: auditEntry(.signIn, .anonymous, realm, request.client, call, about: nil),
            once: idempotentCall(for: call),
            permit: { _, isNew in
                guard !isNew || allowsSelfSignUp else { throw IdentityError.adminOnlyOperation }
            },
            mails: { before, after in
                try emailChangeNotice(from: before.account, to: after.account, context)
            },
            reply: { result, before in EmailLinkSignInResult(result: result, before: before) })
    }

    func findSignInMethods(
        _ request: Identity.FindSignInMethods, _ call: BusCall
    ) async throws -> Identity.FindSignInMethods.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        guard let text = request.email?.nilIfEmpty else { throw IdentityError.missingIdentifier }
        guard let email = EmailAddress(text) else { throw IdentityError.invalidIdentifier }
        let sessionID = Base64URL.encode(dependencies.randomBytes(20))
        // Before anything is looked up: the reply must not tell by its time what it does not tell in words.
        guard !project.configuration.preventsEmailEnumeration else { return .init(sessionID: sessionID, methods: nil) }
        let found = try await dependencies.store.accounts([.email(email.rawValue)], in: request.realm).first
        return .init(
            sessionID: sessionID,
            methods: .init(
                isRegistered: found != nil, hasPassword: found?.hasPassword ?? false,
                hasEmailLink: found?.emailLinkSignIn ?? false, providers: found?.providers.map(\.providerID) ?? []))
    }
}

extension ActionCode {
    /// The ways to sign in that the reader of the address may remove with this code instead of verifying the address.
    fileprivate func rejectableMethods(of account: Account) -> Identity.InspectActionCode.SignInMethods? {
        guard purpose == .verifyEmail, account.email == email, !account.emailVerified else { return nil }
        return .init(
            hasPassword: account.hasPassword, hasEmailLink: account.emailLinkSignIn,
            phoneNumber: account.phoneNumber, providers: account.providers.map(\.providerID))
    }
}

extension PasswordRules {
    /// For people to read.
    fileprivate var demands: Identity.PasswordRequirements {
        guard let policy else { return .init(minimumLength: minimumLength) }
        return .init(
            minimumLength: policy.lengths.lowerBound, maximumLength: policy.lengths.upperBound,
            lowercase: policy.demandsLowercase, uppercase: policy.demandsUppercase, numeric: policy.demandsNumeric,
            nonAlphanumeric: policy.demandsNonAlphanumeric)
    }
}

import Bus
import Contracts
import Vocabulary

/// Inspects and redeems action codes.
struct ActionCodeRedemptionHandler: IdentityComponent {
    let context: IdentityContext

    func inspect(
        _ request: Identity.InspectActionCode, _ call: BusCall
    ) async throws -> Identity.InspectActionCode.Reply {
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let (code, stored) = try await store.actionCode(
            try ActionCode.Text(checking: request.code), in: request.realm)
        let (account, now) = (stored?.account, now())
        try code.validate(at: now)
        // `try?`: without an authorized URL the page has no link to continue.
        let continueURL = request.continueURL.flatMap { url in
            try? project.configuration.authorizedURL(url, isDev: isDev)
        }
        let rules = project.configuration.passwordRules(isDev: isDev)
        return .init(
            purpose: code.purpose, email: code.email, newEmail: code.newEmail,
            secondFactor: account?.secondFactors.first { $0.id == code.factorID },
            passwordRequirements: code.purpose == .passwordReset ? rules.demands : nil, continueURL: continueURL?.text,
            signInMethods: account.flatMap(code.rejectableMethods), passkeys: stored.flatMap(code.listedPasskeys),
            recentProviders: stored.flatMap { code.recentProviders(of: $0, at: now) })
    }

    func resetPassword(_ request: Identity.ResetPassword, _ call: BusCall) async throws -> Identity.ResetPassword.Reply
    {
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let changed = try await store.reply(to: call, at: now()) { try await reset(request, project, call) }
        let (email, account) = (changed.reply.email, changed.reply.account)
        if changed.revokesSessions { publish(.sessionsRevoked(account.realm, account.id)) }
        return .init(email: email)
    }

    private struct ChangedAccount: Codable, Sendable {
        var email: EmailAddress
        var account: Account
    }

    private func reset(
        _ request: Identity.ResetPassword, _ project: Project, _ call: BusCall
    ) async throws -> ChangeResult<ChangedAccount> {
        guard project.configuration.allowsPasswordSignIn else { throw ServiceError(.passwordSignInDisabled) }
        let text = try ActionCode.Text(checking: request.code)
        let (code, stored) = try await store.actionCode(text, in: request.realm)
        guard code.purpose == .passwordReset, let account = stored?.account else {
            throw ServiceError(.invalidActionCode)
        }
        let now = now()
        try code.validate(account, at: now)
        guard let password = request.newPassword?.reveal().nilIfEmpty else { throw ServiceError(.missingPassword) }
        let passwordRecord = try await hasher.withSlot {
            try await newPasswords.record(of: password, for: code.email, project, by: call.deadline)
        }
        let context = notices.context(project, locale: request.locale, call)
        defer { wakeEmailLoop() }
        return try await store.redeem(
            text, for: [.passwordReset], in: request.realm, at: now,
            audit: AuditEntry(.passwordReset, .anonymous, request.realm, request.client, call, about: nil, at: now),
            idempotency: store.idempotentCall(for: call, at: now),
            mails: { code, _, after in [notices.passwordChange(of: after.account, to: code.email, context)] }
        ) { code, stored in
            stored.resetPassword(passwordRecord, at: now)
            return ChangedAccount(email: code.email, account: stored.account)
        }
    }

    func apply(
        _ request: Identity.ApplyActionCode, _ call: BusCall
    ) async throws -> Identity.ApplyActionCode.Reply {
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let now = now()
        let context = notices.context(project, locale: request.locale, call)
        let applied = try await store.redeem(
            try ActionCode.Text(checking: request.code),
            for: [
                .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition,
            ],
            in: request.realm, at: now,
            audit: AuditEntry(.accountUpdated, .anonymous, request.realm, request.client, call, about: nil, at: now),
            idempotency: store.idempotentCall(for: call, at: now),
            mails: { code, before, after in
                guard code.purpose == .verifyAndChangeEmail else { return [] }
                return try notices.emailChange(from: before.account, to: after.account, context)
            }
        ) { code, stored in
            try stored.apply(code, removesPasskeys: request.removesPasskeys ?? false, at: now)
            return Identity.ApplyActionCode.Reply(
                purpose: code.purpose, account: stored.account,
                newEmail: code.purpose == .verifyAndChangeEmail ? code.newEmail : nil)
        }
        let reply = applied.reply
        wakeEmailLoop()
        if applied.revokesSessions { publish(.sessionsRevoked(request.realm, reply.account.id)) }
        return reply
    }

    func rejectVerification(
        _ request: Identity.RejectEmailVerification, _ call: BusCall
    ) async throws -> Identity.RejectEmailVerification.Reply {
        _ = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let now = now()
        let rejected = try await store.rejectVerification(
            try ActionCode.Text(checking: request.code), in: request.realm, at: now,
            audit: AuditEntry(
                .emailVerificationRejected, .anonymous, request.realm, request.client, call, about: nil, at: now),
            idempotency: store.idempotentCall(for: call, at: now)
        ) { code, stored in
            switch code.purpose {
            // The account has an owner, who has not proven this address: it stays as it is.
            case .verifyAndChangeEmail: break
            case .verifyEmail, .passwordReset, .emailSignIn, .recoverEmail, .revertSecondFactorAddition,
                .revertPasskeyAddition:
                try stored.rejectVerification(at: now)
            }
            return RejectedVerification(accountID: stored.account.id, reply: .init(email: code.recipient))
        }
        if rejected.revokesSessions { publish(.sessionsRevoked(request.realm, rejected.reply.accountID)) }
        return rejected.reply.reply
    }

    private struct RejectedVerification: Codable, Sendable {
        var accountID: AccountID
        var reply: Identity.RejectEmailVerification.Reply
    }
}

extension ActionCode.Text {
    /// The code of a request.
    /// - Throws: `missingActionCode`, `invalidActionCode`.
    init(checking code: Secret<String>?) throws(ServiceError) {
        guard let code = code?.reveal().nilIfEmpty else { throw ServiceError(.missingActionCode) }
        guard let text = Self(code) else { throw ServiceError(.invalidActionCode) }
        self = text
    }
}

extension ActionCode {
    /// The sign-in methods of an account that the reader of the address may reject with this code: of one that was created
    /// with the address, or that is to get it.
    fileprivate func rejectableMethods(of account: Account) -> Identity.InspectActionCode.SignInMethods? {
        guard account.email == email else { return nil }
        switch purpose {
        case .verifyEmail: if account.emailVerified { return nil }
        case .verifyAndChangeEmail: break
        case .passwordReset, .emailSignIn, .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition:
            return nil
        }
        return .init(
            hasPassword: account.hasPassword, hasEmailLink: account.emailLinkSignIn,
            phoneNumber: account.phoneNumber, providers: account.providers.map(\.providerID),
            passkeys: account.passkeys.isEmpty ? nil : account.passkeys.map { .init($0, name: nil) })
    }

    /// The passkeys that concern the reader of the address, see `InspectActionCode.Reply.passkeys`.
    fileprivate func listedPasskeys(of stored: StoredAccount) -> [Identity.InspectActionCode.ListedPasskey]? {
        let account = stored.account
        return switch purpose {
        case .revertPasskeyAddition:
            account.passkeys.filter { $0.credentialID == credentialID }
                .map { .init($0, name: account.name(of: $0, shownTo: email)) }
        // The address was verified before it was changed.
        case .recoverEmail: account.passkeys.map { .init($0, name: $0.chosenName) }
        // The reset removes the passkeys of an address that is not proven.
        case .passwordReset: stored.hasProvenEmail ? account.passkeys.map { .init($0, name: $0.chosenName) } : nil
        case .emailSignIn, .verifyEmail, .verifyAndChangeEmail, .revertSecondFactorAddition: nil
        }
    }

    /// Identities that stay after a reset and were linked lately: whoever knew the password may have linked them.
    fileprivate func recentProviders(
        of stored: StoredAccount, at now: Moment
    ) -> [Identity.InspectActionCode.LinkedProvider]? {
        guard purpose == .passwordReset, stored.hasProvenEmail else { return nil }
        let recent = stored.account.providers.compactMap { link in
            stored.linkTimes[link.providerID].map {
                Identity.InspectActionCode.LinkedProvider(id: link.providerID, linkedAt: $0)
            }
        }.filter { now < $0.linkedAt + Identity.InspectActionCode.LinkedProvider.recentPeriod }
        return recent.isEmpty ? nil : recent
    }
}

extension Identity.InspectActionCode.ListedPasskey {
    fileprivate init(_ passkey: AccountPasskey, name: String?) {
        self.init(name: name, createdAt: passkey.createdAt, lastUsedAt: passkey.lastUsedAt)
    }
}

extension PasswordRules {
    /// The requirements that the page displays.
    fileprivate var demands: Identity.PasswordRequirements {
        guard let policy else { return .init(minimumLength: minimumLength) }
        return .init(
            minimumLength: policy.lengths.lowerBound, maximumLength: policy.lengths.upperBound,
            lowercase: policy.demandsLowercase, uppercase: policy.demandsUppercase, numeric: policy.demandsNumeric,
            nonAlphanumeric: policy.demandsNonAlphanumeric)
    }
}

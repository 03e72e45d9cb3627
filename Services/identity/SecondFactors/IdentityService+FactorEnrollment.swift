import Bus
import Contracts
import Vocabulary

/// The list of second factors, as its owner changes it. The services of the factors prove them; identity says who may have
/// them.
extension IdentityService {
    func checkEnrollment(
        _ request: Identity.CheckEnrollment, _ call: BusCall
    ) async throws -> Identity.CheckEnrollment.Reply {
        let (session, project) = try await enrolling(request.method, request.idToken, in: request.realm, call)
        let enrollment = FactorEnrollment(
            method: request.method, phoneNumber: request.phoneNumber, principal: session.principal,
            authentication: session.authentication)
        try enrollment.checkSession(session.stored)
        switch request.stage {
        case .start:
            _ = try enrollment.checkList(of: session.stored, session.policy)
            // Of a telephone the protocol does not say it; its enrolment signs everybody else out (MP7).
            try requireRecentSignIn(session.principal)
        // What the list has to say comes after the code, from `enrollFactor` (REST 3.2).
        case .finish: break
        }
        return .init(
            account: session.stored.account, principal: session.principal,
            totpWindowSteps: project.configuration.totpWindowSteps)
    }

    func enrollFactor(_ request: Identity.EnrollFactor, _ call: BusCall) async throws -> Identity.EnrollFactor.Reply {
        let changed =
            if let recorded = try await dependencies.store.recordedReply(
                ChangeResult<EnrolledFactor>.self, idempotentCall(for: call))
            {
                recorded
            } else {
                try await enroll(request, call)
            }
        let opened = changed.reply.opened
        let account = opened.account
        if changed.revokesSessions { publishSessionsRevoked(account.id, in: account.realm) }
        return .init(account: account, tokens: try await tokens(for: opened, request.client))
    }

    private struct EnrolledFactor: Codable, Sendable {
        var factor: SecondFactor
        var opened: OpenedSession
    }

    private func enroll(_ request: Identity.EnrollFactor, _ call: BusCall) async throws -> ChangeResult<EnrolledFactor>
    {
        let (session, project) = try await enrolling(request.method, request.idToken, in: request.realm, call)
        let enrollment = FactorEnrollment(
            method: request.method, phoneNumber: request.phoneNumber, principal: session.principal,
            authentication: session.authentication)
        let (principal, now) = (session.principal, dependencies.now())
        let (next, token) = open(
            for: principal.accountID, in: principal.realm, authentication: session.authentication, at: now)
        let (id, displayName, policy) = (request.factorID, request.displayName, session.policy)
        let context = notices(project, locale: request.locale, call)
        defer { dependencies.wakeMailDispatcher() }
        return try await dependencies.store.change(
            principal.accountID, in: principal.realm,
            audit: auditEntry(
                .factorEnrolled, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID),
            once: idempotentCall(for: call),
            session: { _, enrolled in
                var next = next
                next.authentication = enrolled.opened.authentication
                return next
            },
            mails: { _, after in
                guard let factor = after.account.secondFactors.first(where: { $0.id == id }) else { return [] }
                return try secondFactorNotice(of: factor, after.account, context)
            }
        ) { stored in
            let factor = try enrollment.apply(
                to: &stored, id: id, displayName: displayName, at: now, policy)
            return EnrolledFactor(
                factor: factor,
                opened: OpenedSession(
                    account: stored.account,
                    authentication: enrollment.authenticationContext(with: factor, after: stored, at: now),
                    refreshToken: token.text))
        }
    }

    /// The session of somebody who wants a factor, and the project with what holds for them. What the project has switched
    /// off is off for everybody: that is told before anything about the token is.
    private func enrolling(
        _ method: SecondFactor.Method, _ idToken: Secret<String>?, in realm: Realm, _ call: BusCall
    ) async throws -> (AuthenticatedSession, Project) {
        let session: Result<AuthenticatedSession, any Error>
        do {
            session = .success(try await continuedSession(behind: idToken, in: realm, call, allowing: .enrollment))
        } catch {
            session = .failure(error)
        }
        // `try?`: without a good token, what the call names holds.
        let realm = (try? session.get())?.principal.realm ?? realm
        let project = try await dependencies.projects.project(of: realm, traceID: call.trace.traceID)
        guard project.configuration.isEnabled(method) else { throw IdentityError.secondFactorDisabled(method) }
        return (try session.get(), project)
    }
}

// MARK: - Withdrawal

extension IdentityService {
    func withdrawFactor(
        _ request: Identity.WithdrawFactor, _ call: BusCall
    ) async throws -> Identity.WithdrawFactor.Reply {
        let changed =
            if let recorded = try await dependencies.store.recordedReply(
                ChangeResult<WithdrawnFactor>.self, idempotentCall(for: call))
            {
                recorded
            } else {
                try await withdraw(request, call)
            }
        let account = changed.reply.account
        if changed.revokesSessions { publishSessionsRevoked(account.id, in: account.realm) }
        guard let opened = changed.reply.opened else { return .init(account: account, tokens: nil) }
        return .init(account: account, tokens: try await tokens(for: opened, request.client))
    }

    private struct WithdrawnFactor: Codable, Sendable {
        var factor: SecondFactor
        var account: Account
        /// nil: the session ended with the factor.
        var opened: OpenedSession?
    }

    private func withdraw(
        _ request: Identity.WithdrawFactor, _ call: BusCall
    ) async throws -> ChangeResult<WithdrawnFactor> {
        let session = try await continuedSession(behind: request.idToken, in: request.realm, call)
        let (principal, now, policy) = (session.principal, dependencies.now(), session.policy)
        guard let factorID = request.factorID else { throw IdentityError.factorNotFound }
        let withdrawal = FactorWithdrawal(
            factorID: factorID, principal: principal, authentication: session.authentication, now: now)
        let (next, token) = open(
            for: principal.accountID, in: principal.realm, authentication: session.authentication, at: now)
        let context = notices(session.project, locale: request.locale, call)
        defer { dependencies.wakeMailDispatcher() }
        return try await dependencies.store.change(
            principal.accountID, in: principal.realm,
            audit: auditEntry(
                .factorWithdrawn, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID),
            once: idempotentCall(for: call),
            session: { _, withdrawn in
                withdrawn.opened.map { opened in
                    var next = next
                    next.authentication = opened.authentication
                    return next
                }
            },
            mails: { before, after in
                guard let factor = before.account.secondFactors.first(where: { $0.id == factorID }) else { return [] }
                return secondFactorRemovalNotice(of: factor, after.account, context)
            }
        ) { stored in
            let factor = try withdrawal.apply(to: &stored)
            let opened = try withdrawal.authenticationContext(after: stored, policy).map { authentication in
                OpenedSession(account: stored.account, authentication: authentication, refreshToken: token.text)
            }
            return WithdrawnFactor(factor: factor, account: stored.account, opened: opened)
        }
    }
}

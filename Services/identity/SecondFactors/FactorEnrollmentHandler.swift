import Bus
import Contracts
import Vocabulary

/// Enrolls second factors. The services of the factors verify the factor; identity decides who may enroll it.
struct FactorEnrollmentHandler: IdentityComponent {
    let context: IdentityContext

    func check(
        _ request: Identity.CheckEnrollment, _ call: BusCall
    ) async throws -> Identity.CheckEnrollment.Reply {
        let (session, project) = try await enrolling(request.factor.method, request.idToken, in: request.realm, call)
        let enrollment = FactorEnrollment(
            factor: request.factor, principal: session.principal,
            authentication: session.authentication)
        try enrollment.checkSession(session.stored)
        switch request.stage {
        case .start:
            _ = try enrollment.checkList(of: session.stored, session.policy)
            // The protocol does not require it for a phone, but the enrollment of a phone ends all other sessions
            // (MP7).
            try session.principal.requireRecentSignIn(at: now())
        // `enroll` checks the list, after the code (REST 3.2).
        case .finish: break
        }
        return .init(
            account: session.stored.account, principal: session.principal,
            verification: project.configuration.verificationSettings(of: request.factor.method),
            applicationName: project.configuration.applicationName(of: project.id))
    }

    func enroll(_ request: Identity.EnrollFactor, _ call: BusCall) async throws -> Identity.EnrollFactor.Reply {
        let changed = try await store.reply(to: call, at: now()) { try await add(request, call) }
        let opened = changed.reply.opened
        let account = opened.account
        if changed.revokesSessions { publish(.sessionsRevoked(account.realm, account.id)) }
        return .init(account: account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private struct EnrolledFactor: Codable, Sendable {
        var factor: SecondFactor
        var opened: OpenedSession
    }

    private func add(_ request: Identity.EnrollFactor, _ call: BusCall) async throws -> ChangeResult<EnrolledFactor> {
        let (session, project) = try await enrolling(request.kind.method, request.idToken, in: request.realm, call)
        let enrollment = FactorEnrollment(
            factor: .init(request.kind), principal: session.principal,
            authentication: session.authentication)
        let now = now()
        let (id, displayName, policy) = (request.factorID, request.displayName, session.policy)
        let context = notices.context(project, locale: request.locale, call)
        return try await updater.change(
            by: session, .factorEnrolled, request.client, call, at: now, continued: \.opened,
            mails: { _, after in
                guard let factor = after.account.secondFactors.first(where: { $0.id == id }) else { return [] }
                return try notices.secondFactorAddition(of: factor, after.account, context)
            }
        ) { stored, token in
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

    /// The session that enrolls a factor, and its project. A factor that the project has disabled is refused before any
    /// error of the token.
    private func enrolling(
        _ method: SecondFactor.Method, _ idToken: Secret<String>?, in realm: Realm, _ call: BusCall
    ) async throws -> (AuthenticatedSession, Project) {
        let session: Result<AuthenticatedSession, any Error>
        do {
            session = .success(
                try await authenticator.authenticateToContinue(idToken, in: realm, call, allowing: .enrollment))
        } catch {
            session = .failure(error)
        }
        // `try?`: without a valid token, the realm of the request counts.
        let realm = (try? session.get())?.principal.realm ?? realm
        let project = try await projects.project(of: realm, traceID: call.trace.traceID)
        guard project.configuration.isEnabled(method) else { throw ServiceError.secondFactorDisabled(method) }
        return (try session.get(), project)
    }
}

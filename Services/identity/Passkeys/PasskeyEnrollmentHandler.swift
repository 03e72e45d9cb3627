import Bus
import Contracts
import Vocabulary

/// Adds passkeys to the lists of accounts. The passkey service verifies them; identity decides who may add one.
struct PasskeyEnrollmentHandler: IdentityComponent {
    let context: IdentityContext

    func check(
        _ request: Identity.CheckPasskeyEnrollment, _ call: BusCall
    ) async throws -> Identity.CheckPasskeyEnrollment.Reply {
        let session = try await authenticator.authenticateToContinue(request.idToken, in: request.realm, call)
        let configuration = session.project.configuration.passkeyConfig
        guard configuration.allowsPasskeys else { throw ServiceError(.passkeysNotEnabled) }
        let enrollment = PasskeyEnrollment(
            principal: session.principal, presented: session.authentication, isUserVerified: true, now: now())
        switch request.stage {
        case .start:
            try enrollment.check(session.stored, session.policy)
            try session.stored.requireRecentSignIn(of: session.principal, at: now())
        // `enroll` checks the list, after the ceremony.
        case .finish: break
        }
        return .init(
            account: session.stored.account, principal: session.principal,
            configuration: session.project.configuration.namedPasskeyConfig)
    }

    func enroll(_ request: Identity.EnrollPasskey, _ call: BusCall) async throws -> Identity.EnrollPasskey.Reply {
        let opened = try await store.reply(to: call, at: now()) { try await add(request, call) }.reply
        return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private func add(_ request: Identity.EnrollPasskey, _ call: BusCall) async throws -> ChangeResult<OpenedSession> {
        let session = try await authenticator.authenticateToContinue(request.idToken, in: request.realm, call)
        guard session.project.configuration.passkeyConfig.allowsPasskeys else {
            throw ServiceError(.passkeysNotEnabled)
        }
        let (policy, now) = (session.policy, now())
        let enrollment = PasskeyEnrollment(
            principal: session.principal, presented: session.authentication, isUserVerified: request.isUserVerified,
            now: now)
        let context = notices.context(session.project, locale: request.locale, call)
        let passkey = request.passkey
        return try await updater.change(
            by: session, .passkeyAdded, request.client, call, at: now, continued: { $0 },
            mails: { _, after in try notices.passkeyAddition(of: passkey, after.account, context) }
        ) { stored, token in
            let authentication = try enrollment.apply(passkey, to: &stored, policy)
            return OpenedSession(
                account: stored.account, authentication: authentication, refreshToken: token.text)
        }
    }
}

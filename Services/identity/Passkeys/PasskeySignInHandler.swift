import Bus
import Contracts
import Vocabulary

/// Signs in with a passkey. The passkey service verifies the assertion; identity decides whether the account still has
/// the passkey and may sign in.
struct PasskeySignInHandler: IdentityComponent {
    let context: IdentityContext

    func signIn(
        _ request: Identity.SignInWithPasskey, _ call: BusCall
    ) async throws -> Identity.SignInWithPasskey.Reply {
        let result = try await store.reply(to: call, at: now()) { try await decide(request, call) }
        return try await sessions.reply(to: result, request.client)
    }

    private func decide(_ request: Identity.SignInWithPasskey, _ call: BusCall) async throws -> SignInResult {
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        guard project.configuration.passkeyConfig.allowsPasskeys else { throw ServiceError(.passkeysNotEnabled) }
        let now = now()
        let firstFactor = sessions.prepareSignIn(
            of: request.accountID, in: request.realm,
            authentication: AuthenticationContext(
                authenticatedAt: now.timestamp, signInProvider: AuthenticationContext.passkeyProvider,
                isUserVerified: request.isUserVerified), SignInNotice(context, project, request.client, call), at: now)
        return try await blockingFunctions.run(.init(project: project, client: request.client), call) { responses in
            try await store.signIn(
                byPasskey: .init(
                    credentialID: request.credentialID, isBackedUp: request.isBackedUp,
                    hasCounterRegression: request.hasCounterRegression == true,
                    firstFactor: firstFactor.with(responses)),
                SessionPolicy(project.configuration),
                audit: AuditEntry(
                    .signIn, .account(request.accountID), request.realm, request.client, call,
                    about: request.accountID, at: now),
                idempotency: store.idempotentCall(for: call, at: now))
        }
    }
}

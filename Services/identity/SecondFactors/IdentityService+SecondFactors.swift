import Bus
import Contracts
import Vocabulary

/// Sign-ins between their two factors. The services of the factors check codes; identity knows who waits, and opens the
/// session.
extension IdentityService {
    /// Both ends of a first factor that was right. `IdentityStore` decides between them in the transaction that counts.
    func firstFactor(of accountID: AccountID, in realm: Realm, provider: String) -> PreparedSignIn {
        let now = dependencies.now()
        return PreparedSignIn(
            for: accountID, in: realm,
            authentication: AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: provider), at: now,
            randomBytes: dependencies.randomBytes)
    }

    func resolvePendingSignIn(
        _ request: Identity.ResolvePendingSignIn, _ call: BusCall
    ) async throws -> Identity.ResolvePendingSignIn.Reply {
        let realm = Realm(project: request.project, tenant: request.tenant)
        let (_, pending, factors, project) = try await pendingSignIn(request.credential, in: realm, call)
        return .init(
            accountID: pending.accountID, realm: pending.realm, factors: factors, startedAt: pending.createdAt,
            totpWindowSteps: project.configuration.totpWindowSteps)
    }

    func completeSignIn(
        _ request: Identity.CompleteSignIn, _ call: BusCall
    ) async throws -> Identity.CompleteSignIn.Reply {
        let opened =
            if let recorded = try await dependencies.store.recordedReply(OpenedSession.self, idempotentCall(for: call))
            {
                recorded
            } else {
                try await complete(request, call)
            }
        return .init(account: opened.account, tokens: try await tokens(for: opened, request.client))
    }

    private func complete(_ request: Identity.CompleteSignIn, _ call: BusCall) async throws -> OpenedSession {
        let realm = Realm(project: request.project, tenant: request.tenant)
        let (credential, pending, factors, project) = try await pendingSignIn(request.credential, in: realm, call)
        guard let factor = factors.first(where: { $0.id == request.factorID }) else {
            throw IdentityError.factorNotFound
        }
        let now = dependencies.now()
        let (session, token) = open(
            for: pending.accountID, in: pending.realm,
            authentication: pending.authenticationContext(with: .init(factor), at: now), at: now)
        return try await dependencies.store.complete(
            credential, in: realm, factorID: factor.id, session: session, refreshToken: token,
            SessionPolicy(project.configuration),
            audit: auditEntry(
                .signIn, .account(pending.accountID), pending.realm, request.client, call, about: pending.accountID),
            once: idempotentCall(for: call))
    }

    /// - Parameter realm: without a tenant, that of the credential holds.
    func pendingSignIn(
        _ text: Secret<String>?, in realm: Realm, _ call: BusCall
    ) async throws -> (PendingCredential, PendingSignIn, [SecondFactor], Project) {
        guard let credential = text.flatMap({ PendingCredential($0.reveal()) }) else {
            throw IdentityError.invalidPendingCredential
        }
        let (pending, stored) = try await dependencies.store.pendingSignIn(
            credential, in: realm, at: dependencies.now())
        let project = try await dependencies.projects.project(of: pending.realm, traceID: call.trace.traceID)
        let factors = SessionPolicy(project.configuration).requestedFactors(of: stored.account)
        return (credential, pending, factors, project)
    }
}

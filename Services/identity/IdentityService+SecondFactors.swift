import Bus
import Contracts
import Vocabulary

/// Sign-ins between their two factors. The services of the factors check codes; identity knows who waits, and opens the
/// session.
extension IdentityService {
    /// Both ends of a first factor that was right. `IdentityStore` decides between them in the transaction that counts.
    func firstFactor(of accountID: AccountID, in realm: Realm, provider: String) -> FirstFactor {
        let now = dependencies.now()
        return FirstFactor(
            for: accountID, in: realm,
            facts: SessionFacts(authenticatedAt: now.timestamp, signInProvider: provider), at: now,
            randomBytes: dependencies.randomBytes)
    }

    func resolvePendingSignIn(
        _ request: Identity.ResolvePendingSignIn, _ call: BusCall
    ) async throws -> Identity.ResolvePendingSignIn.Reply {
        let (_, pending, factors) = try await pendingSignIn(request.credential, of: request.project, call)
        let project = try await dependencies.projects.project(of: pending.realm, traceID: call.trace.traceID)
        return .init(
            accountID: pending.accountID, realm: pending.realm, factors: factors, startedAt: pending.createdAt,
            totpWindow: project.configuration.totpWindow)
    }

    func completeSignIn(
        _ request: Identity.CompleteSignIn, _ call: BusCall
    ) async throws -> Identity.CompleteSignIn.Reply {
        let opened =
            if let recorded = try await dependencies.store.recorded(OpenedSession.self, once(call)) {
                recorded
            } else {
                try await complete(request, call)
            }
        return .init(account: opened.account, tokens: try await tokens(for: opened))
    }

    private func complete(_ request: Identity.CompleteSignIn, _ call: BusCall) async throws -> OpenedSession {
        let (credential, pending, factors) = try await pendingSignIn(request.credential, of: request.project, call)
        guard let factor = factors.first(where: { $0.id == request.factorID }) else {
            throw IdentityError.factorNotFound
        }
        let project = try await dependencies.projects.project(of: pending.realm, traceID: call.trace.traceID)
        let now = dependencies.now()
        let (session, token) = open(
            for: pending.accountID, in: pending.realm, facts: pending.facts(with: .init(factor), at: now), at: now)
        return try await dependencies.store.complete(
            credential, of: request.project, factorID: factor.id, session: session, refreshToken: token,
            isAskedFor: project.configuration.asksFor,
            audit: entry(
                .signIn, .account(pending.accountID), pending.realm, request.client, call, about: pending.accountID),
            once: once(call))
    }

    func pendingSignIn(
        _ text: Secret<String>?, of projectID: ProjectID, _ call: BusCall
    ) async throws -> (PendingCredential, PendingSignIn, [SecondFactor]) {
        guard let credential = text.flatMap({ PendingCredential($0.reveal()) }) else {
            throw IdentityError.invalidPendingCredential
        }
        let (pending, stored) = try await dependencies.store.pendingSignIn(
            credential, of: projectID, at: dependencies.now())
        let project = try await dependencies.projects.project(of: pending.realm, traceID: call.trace.traceID)
        let factors = stored.account.secondFactors.filter { project.configuration.asksFor($0.kind) }
        return (credential, pending, factors)
    }
}

import Bus
import Contracts
import Vocabulary

/// Completes a pending sign-in with an enrolled factor. The services of the factors verify the code before.
struct SecondFactorSignInHandler: IdentityComponent {
    let context: IdentityContext

    func resolve(
        _ request: Identity.ResolvePendingSignIn, _ call: BusCall
    ) async throws -> Identity.ResolvePendingSignIn.Reply {
        let realm = Realm(project: request.project, tenant: request.tenant)
        let resolved = try await pendingSignIns.resolve(request.pendingCredential, in: realm, call)
        let pending = resolved.pending
        return .init(
            accountID: pending.accountID, realm: pending.realm, factors: resolved.factors,
            hasPasskeys: resolved.hasPasskeys ? true : nil, startedAt: pending.createdAt,
            verification: resolved.project.configuration.verificationSettings(of: request.method))
    }

    func completeSignIn(
        _ request: Identity.CompleteSignIn, _ call: BusCall
    ) async throws -> Identity.CompleteSignIn.Reply {
        let opened = try await store.recordedReply(to: call, at: now()) { try await complete(request, call) }
        return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private func complete(_ request: Identity.CompleteSignIn, _ call: BusCall) async throws -> OpenedSession {
        let realm = Realm(project: request.project, tenant: request.tenant)
        let resolved = try await pendingSignIns.resolve(request.pendingCredential, in: realm, call)
        let pending = resolved.pending
        guard let factor = resolved.factors.first(where: { $0.id == request.factorID }) else {
            throw ServiceError(.factorNotFound)
        }
        let now = now()
        let (session, token) = sessions.open(
            for: pending.accountID, in: pending.realm,
            authentication: pending.authenticationContext(with: .init(factor), at: now), client: request.client, at: now
        )
        let context = notices.context(resolved.project, locale: nil, call)
        // Only a sign-in with a provider has a notice.
        defer { if pending.identity != nil { wakeEmailLoop() } }
        return try await blockingFunctions.run(.init(project: resolved.project, client: request.client), call) {
            responses in
            try await store.complete(
                resolved.credential, in: realm, factorID: factor.id, session: session, refreshToken: token,
                SessionPolicy(resolved.project.configuration), responses,
                SignInNotice(self.context, resolved.project, request.client, call),
                audit: AuditEntry(
                    .signIn, .account(pending.accountID), pending.realm, request.client, call,
                    about: pending.accountID, at: now),
                idempotency: store.idempotentCall(for: call, at: now),
                mails: { before, after in notices.providerLinks(from: before, to: after, context) })
        }
    }
}

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
        let opened = try await store.reply(to: call, at: now()) { try await complete(request, call) }
        return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private func complete(_ request: Identity.CompleteSignIn, _ call: BusCall) async throws -> OpenedSession {
        guard let credential = request.pendingCredential.flatMap({ PendingCredential($0.reveal()) }) else {
            throw ServiceError(.invalidPendingCredential)
        }
        let realm = Realm(project: request.project, tenant: request.tenant)
        do {
            // Most requests name the realm of their credential, which only the transaction reads then.
            return try await complete(credential, of: realm, request, call)
        } catch let error as ServiceError {
            let pending = try await pendingSignIns.resolve(request.pendingCredential, in: realm, call).pending
            guard pending.realm != realm else { throw error }
            return try await complete(credential, of: pending.realm, request, call)
        }
    }

    /// - Parameter realm: of the credential.
    private func complete(
        _ credential: PendingCredential, of realm: Realm, _ request: Identity.CompleteSignIn, _ call: BusCall
    ) async throws -> OpenedSession {
        let project = try await projects.project(of: realm, traceID: call.trace.traceID)
        let now = now()
        let context = notices.context(project, locale: nil, call)
        let opened = try await blockingFunctions.run(.init(project: project, client: request.client), call) {
            responses in
            try await store.complete(
                credential, of: realm, factorID: request.factorID, at: now, SessionPolicy(project.configuration),
                responses, SignInNotice(self.context, project, request.client, call),
                audit: AuditEntry(.signIn, .anonymous, realm, request.client, call, about: nil, at: now),
                idempotency: store.idempotentCall(for: call, at: now),
                opening: { pending, factor in
                    sessions.open(
                        for: pending.accountID, in: pending.realm,
                        authentication: pending.authenticationContext(with: .init(factor), at: now),
                        client: request.client, at: now)
                },
                mails: { before, after in notices.providerLinks(from: before, to: after, context) })
        }
        // Only a sign-in with a provider has a notice.
        if !opened.account.providers.isEmpty { wakeEmailLoop() }
        return opened
    }
}

import Bus
import Contracts
import Vocabulary

/// Withdraws a second factor of the account of an ID token.
struct FactorWithdrawalHandler: IdentityComponent {
    let context: IdentityContext

    func withdraw(
        _ request: Identity.WithdrawFactor, _ call: BusCall
    ) async throws -> Identity.WithdrawFactor.Reply {
        let changed = try await store.reply(to: call, at: now()) { try await remove(request, call) }
        let account = changed.reply.account
        if changed.revokesSessions { publish(.sessionsRevoked(account.realm, account.id)) }
        guard let opened = changed.reply.opened else { return .init(account: account, tokens: nil) }
        return .init(account: account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private struct WithdrawnFactor: Codable, Sendable {
        var factor: SecondFactor
        var account: Account
        /// nil: the session ended with the factor.
        var opened: OpenedSession?
    }

    private func remove(
        _ request: Identity.WithdrawFactor, _ call: BusCall
    ) async throws -> ChangeResult<WithdrawnFactor> {
        let session = try await authenticator.authenticateToContinue(request.idToken, in: request.realm, call)
        let (now, policy) = (now(), session.policy)
        guard let factorID = request.factorID else { throw ServiceError(.factorNotFound) }
        let withdrawal = FactorWithdrawal(
            factorID: factorID, principal: session.principal, authentication: session.authentication, now: now)
        let context = notices.context(session.project, locale: request.locale, call)
        return try await updater.change(
            by: session, .factorWithdrawn, request.client, call, at: now, continued: \.opened,
            mails: { before, after in
                guard let factor = before.account.secondFactors.first(where: { $0.id == factorID }) else { return [] }
                return notices.secondFactorRemoval(of: factor, after.account, context)
            }
        ) { stored, token in
            let factor = try withdrawal.apply(to: &stored)
            let opened = try withdrawal.authenticationContext(after: stored, policy).map { authentication in
                OpenedSession(account: stored.account, authentication: authentication, refreshToken: token.text)
            }
            return WithdrawnFactor(factor: factor, account: stored.account, opened: opened)
        }
    }
}

import Bus
import Contracts
import Vocabulary

/// Redeems a refresh token.
struct SessionRefreshHandler: IdentityComponent {
    let context: IdentityContext

    func refresh(
        _ request: Identity.RefreshSession, _ call: BusCall
    ) async throws -> Identity.RefreshSession.Reply {
        guard let text = request.refreshToken?.reveal().nilIfEmpty else { throw ServiceError(.missingRefreshToken) }
        guard let token = RefreshToken(text) else { throw ServiceError(.invalidRefreshToken) }
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        let now = now()
        let refresh = try await store.redeem(
            token, of: request.project, at: now, salt: randomBytes(RefreshToken.secretBytes),
            grace: context.refreshGrace, traceID: call.trace.traceID)
        switch refresh {
        case .refused(let error): throw error
        case .refreshed(let stored, let authentication, let successor):
            let account = stored.account
            // After the redemption, because only the session contains the tenant. After an error the client keeps its
            // token.
            let inside = try await projects.project(of: account.realm, traceID: call.trace.traceID)
            let authentication = try SessionPolicy(inside.configuration).authenticationContext(
                for: .init(
                    operation: .refresh, stored: stored, authentication: authentication, presented: authentication))
            let opened = OpenedSession(account: account, authentication: authentication, refreshToken: successor.text)
            return .init(
                accountID: account.id, projectNumber: project.number,
                tokens: try await sessions.tokens(for: opened, nil))
        }
    }
}

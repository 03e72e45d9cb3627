import Bus
import Contracts
import Vocabulary

extension IdentityService {
    func createSessionCookie(
        _ request: Identity.CreateSessionCookie, _ call: BusCall
    ) async throws -> Identity.CreateSessionCookie.Reply {
        guard let idToken = request.idToken?.reveal().nilIfEmpty else { throw IdentityError.missingIDToken }
        let lifetime = request.lifetimeSeconds ?? SessionCookie.defaultLifetimeSeconds
        guard SessionCookie.lifetimeSeconds.contains(lifetime) else { throw IdentityError.invalidDuration }
        let session = try await session(behind: request.idToken, in: request.realm)
        // TK9: who stole a token that was in use for a while does not turn it into one that lasts two weeks.
        try demandRecentSignIn(session.principal)
        // Cookie keys are made when there is time for it; who comes before that waits.
        if !dependencies.keys.hasActive(.sessionCookie, at: dependencies.now().timestamp),
            try await dependencies.keys.renew(.sessionCookie, traceID: call.trace.traceID)
        {
            dependencies.publish(.signingKeysChanged)
        }
        return .init(
            cookie: Secret(
                try await dependencies.tokens.cookie(
                    from: idToken, of: session.principal.realm.project,
                    issuedAt: max(dependencies.now().timestamp, session.stored.account.validSince),
                    lifetimeSeconds: lifetime)))
    }
}

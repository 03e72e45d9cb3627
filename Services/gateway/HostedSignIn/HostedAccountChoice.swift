import Contracts
import HTTPServer
import Vocabulary

/// The accounts of a browser that is signed in to several: the session of one is in use, and the refresh tokens of the others
/// are in a cookie of their own. Each is a session like every other, and ends with it.
extension HostedSession {
    static let maximumOthers = 3
    /// Refresh tokens are base64url.
    private static let separator: Unicode.Scalar = "~"

    /// The latest one first. Those that have ended are left out.
    static func others(of visit: HostedVisit) async throws -> [HostedSession] {
        let tokens = visit.cookie(.others).value(in: visit.call.request.headers)?.pieces(at: separator) ?? []
        var sessions: [HostedSession] = []
        for token in tokens.prefix(maximumOthers) {
            guard let session = try await HostedSession(String(token), of: visit) else { continue }
            sessions.append(session)
        }
        return sessions
    }

    /// The header field that stores them.
    static func field(storingOthers sessions: [HostedSession], of visit: HostedVisit) -> (name: String, value: String) {
        let tokens = sessions.prefix(maximumOthers).map { $0.tokens.refreshToken.reveal() }
        return visit.cookie(.others).field(
            tokens.joined(separator: String(separator)), seconds: tokens.isEmpty ? 0 : cookieSeconds)
    }
}

extension HostedSignInPages {
    static let switchPath = "\(path)/switch"

    static let accountChoiceRoutes: [Route] = [
        Route(.post, .local(switchPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, switchAccount)
        }
    ]

    private static func switchAccount(_ visit: HostedVisit) async throws -> HTTPResponse {
        let id = try visit.form()["account"]
        let others = try await HostedSession.others(of: visit)
        guard let chosen = others.first(where: { $0.account.id.rawValue == id }) else {
            return visit.redirect(to: path)
        }
        let current = try await HostedSession(of: visit)
        let rest = ([current].compactMap(\.self) + others).filter { $0.account.id != chosen.account.id }
        var response = visit.leave(after: .accountChosen)
        response.headers += HostedSession.fields(storing: chosen.tokens, of: visit)
        response.headers.append(HostedSession.field(storingOthers: rest, of: visit))
        return response
    }

    /// What becomes of the sessions that this browser had when a user signs in. Those of the same account end, because the
    /// user has signed in again. Those of other accounts stay to choose from; where they are too many, the one that was
    /// used longest ago ends, because no browser would have it.
    /// - Returns: the header fields that store them.
    static func keepFormerSessions(_ visit: HostedVisit, _ tokens: TokenSet) async -> [(name: String, value: String)] {
        do {
            let current = try await HostedSession(of: visit)
            let sessions = try await [current].compactMap(\.self) + HostedSession.others(of: visit)
            guard !sessions.isEmpty else { return [] }
            let account = try await visit.call.send(
                Identity.LookUpOwnAccount(realm: visit.realm, idToken: tokens.idToken)
            ).account
            let others = sessions.filter { $0.account.id != account.id }
            let ended = sessions.filter { $0.account.id == account.id } + others.dropFirst(HostedSession.maximumOthers)
            for session in ended {
                do {
                    try await end(session, visit)
                } catch {
                    visit.call.gateway.dependencies.report(error, visit.call.trace)
                }
            }
            return [HostedSession.field(storingOthers: others, of: visit)]
        } catch {
            visit.call.gateway.dependencies.report(error, visit.call.trace)
            return []
        }
    }
}

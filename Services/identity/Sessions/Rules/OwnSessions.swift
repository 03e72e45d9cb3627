import Contracts
import Vocabulary

/// The sessions of an account as its owner sees them: one for each sign-in. A change of the account opens a session in
/// the place of another one, whose client may not have got the reply.
enum OwnSessions {
    /// - Parameters:
    ///   - sessions: active ones, the latest used first.
    ///   - current: the sign-in of the request.
    static func list(_ sessions: [Session], current: SessionID?) -> [Identity.OwnSession] {
        var seen: Set<SessionID> = []
        return sessions.filter { seen.insert($0.signInID).inserted }.map { session in
            Identity.OwnSession(
                id: session.signInID.text, createdAt: Moment(session.authentication.authenticatedAt),
                lastUsedAt: session.lastUsedAt, signInProvider: session.authentication.signInProvider,
                secondFactor: session.authentication.secondFactor?.kind, device: session.device,
                network: session.clientAddress.flatMap(ClientNetwork.init)?.shownText,
                isCurrent: session.signInID == current)
        }
    }

    /// The sessions to end.
    enum Selection: Equatable, Sendable {
        case listed([SessionID])
        case others, all

        /// - Throws: `invalidRequest` for no session or too many.
        init(_ selection: Identity.EndOwnSessions.Selection) throws(ServiceError) {
            switch selection {
            case .all: self = .all
            case .others: self = .others
            case .listed(let ids):
                guard (1...Identity.EndOwnSessions.maximumCount).contains(ids.count) else {
                    throw ServiceError(.invalidRequest, "the number of sessions is out of range")
                }
                // Text that is no ID names no session.
                self = .listed(ids.compactMap { SessionID(text: $0) })
            }
        }
    }
}

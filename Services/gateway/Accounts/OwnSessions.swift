import Contracts
import HTTPServer
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// The sessions of a client's own account: a Latchkey extension.
    static let ownSessions: [Route] = [
        Route(.post, .v1("accounts:sessions"), .v1, .client, isReadOnly: true) { call in
            let body = try call.realmBody(IDTokenBody.self)
            let reply = try await call.send(
                Identity.ListOwnSessions(realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init)))
            return .json(OwnSessionsReply(reply))
        },
        Route(.post, .v1("accounts:revokeSessions"), .v1, .client) { call in
            let body = try call.realmBody(EndedSessionsBody.self)
            _ = try await call.send(
                Identity.EndOwnSessions(
                    realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init),
                    selection: try body.fields.selection(), client: call.client))
            return .json(EndedSessionsReply())
        },
    ]
}

private struct OwnSessionsReply: Encodable {
    struct Session: Encodable {
        var sessionId: String
        /// RFC 3339 with a fraction, like `lastUsedAt`.
        var createdAt: String
        var lastUsedAt: String
        var signInProvider: String
        var secondFactor: String?
        var device: String?
        var network: String?
        /// Absent in every session but that of the ID token.
        var current: Bool?

        init(_ session: Identity.OwnSession) {
            sessionId = session.id
            createdAt = session.createdAt.text
            lastUsedAt = session.lastUsedAt.text
            signInProvider = session.signInProvider
            secondFactor = session.secondFactor
            device = session.device
            network = session.network
            current = session.isCurrent ? true : nil
        }
    }

    var sessions: [Session]
    /// Absent where the list is complete.
    var hasMore: Bool?

    init(_ reply: Identity.ListOwnSessions.Reply) {
        sessions = reply.sessions.map(Session.init)
        hasMore = reply.hasMore ? true : nil
    }
}

private struct EndedSessionsBody: Decodable {
    var idToken: String?
    var sessionIds: [String]?
    var allOthers: Bool?
    var all: Bool?

    /// - Throws: `APIError` unless the body selects sessions in exactly one way.
    func selection() throws(APIError) -> Identity.EndOwnSessions.Selection {
        let selections: [Identity.EndOwnSessions.Selection] =
            [sessionIds.nilIfEmpty.map { .listed($0) }, allOthers == true ? .others : nil, all == true ? .all : nil]
            .compactMap { $0 }
        guard let selection = selections.first, selections.count == 1 else {
            throw .invalidArgument("Exactly one of sessionIds, allOthers and all must be set.")
        }
        return selection
    }
}

private struct EndedSessionsReply: Encodable {}

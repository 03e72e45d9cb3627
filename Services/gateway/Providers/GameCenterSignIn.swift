import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Sign-in with Game Center (REST 2.9). Federation verifies the signature.
    static let gameCenterSignIn = Route(
        .post, .v1("accounts:signInWithGameCenter", v3: "signInWithGameCenter"), .v1, .client, rate: .signIn
    ) { call in
        let body = try call.realmBody(GameCenterBody.self)
        let reply = try await call.send(
            Federation.SignInWithGameCenter(
                realm: call.realm(body), player: body.fields.player, proof: body.fields.proof(),
                linkIDToken: body.idToken.secret, client: call.client),
            timeout: providerSignInTimeout)
        if let conflict = reply.conflict { throw APIError(conflict) }
        return call.json(
            try GameCenterReply(reply, body.fields), session: reply.session?.tokens,
            orPending: reply.pending?.secondFactor)
    }
}

/// The body of the request. Every member can be missing.
struct GameCenterBody: Decodable {
    var playerId: String?
    var teamPlayerId: String?
    var gamePlayerId: String?
    var publicKeyUrl: String?
    var signature: String?
    var salt: String?
    /// Milliseconds.
    var timestamp: WireInteger?
    var displayName: String?
    /// The account that receives the player.
    var idToken: String?

    var player: Federation.GameCenterPlayer {
        .init(
            teamPlayerID: teamPlayerId.nilIfEmpty, gamePlayerID: gamePlayerId.nilIfEmpty,
            playerID: playerId.nilIfEmpty, displayName: displayName.nilIfEmpty)
    }

    /// - Throws: `invalidProviderResponse` for a missing or malformed field.
    func proof() throws(ServiceError) -> Federation.GameCenterProof {
        guard let url = publicKeyUrl.nilIfEmpty else { throw Self.error("publicKeyUrl is missing.") }
        guard let signature = Self.bytes(signature) else { throw Self.error("signature is missing or malformed.") }
        guard let salt = Self.bytes(salt) else { throw Self.error("salt is missing or malformed.") }
        guard let timestamp else { throw Self.error("timestamp is missing.") }
        return .init(
            publicKeyURL: url, signature: signature, salt: salt, signedAt: Moment(milliseconds: timestamp.value))
    }

    private static func bytes(_ text: String?) -> OctetString? {
        text.nilIfEmpty.flatMap(Base64Field.decode).map { OctetString($0) }
    }

    private static func error(_ message: String) -> ServiceError { ServiceError(.invalidProviderResponse, message) }
}

/// A session, or a pending credential. Clients check which keys are present.
private struct GameCenterReply: Encodable {
    var localId: String
    var playerId: String?
    var teamPlayerId: String?
    var gamePlayerId: String?
    var displayName: String?
    var isNewUser: Bool?

    /// - Throws: `internal` for a reply without an outcome.
    init(_ reply: Identity.ProviderSignInReply, _ body: GameCenterBody) throws(ServiceError) {
        playerId = body.playerId.nilIfEmpty
        teamPlayerId = body.teamPlayerId.nilIfEmpty
        gamePlayerId = body.gamePlayerId.nilIfEmpty
        displayName = body.displayName.nilIfEmpty
        if let session = reply.session {
            localId = session.account.id.rawValue
            isNewUser = session.isNewAccount
        } else if let pending = reply.pending {
            localId = pending.account.id.rawValue
        } else {
            throw ServiceError(.internal)
        }
    }
}

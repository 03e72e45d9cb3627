package import Vocabulary

extension Federation {
    /// Verifies the signature of a Game Center player and signs in (REST 2.9). The player has no e-mail address.
    package struct SignInWithGameCenter: BusRequest, Equatable {
        package static let operation = Federation.Operation.signInWithGameCenter
        // A signature is redeemed.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var player: GameCenterPlayer
        package var proof: GameCenterProof
        /// The account that receives the identity.
        package var linkIDToken: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, player: GameCenterPlayer, proof: GameCenterProof, linkIDToken: Secret<String>? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.player = player
            self.proof = proof
            self.linkIDToken = linkIDToken
            self.client = client
        }

        package typealias Reply = Identity.ProviderSignInReply
    }

    /// A player as the application names it. Only the ID that is part of the signed message becomes the subject of the
    /// identity.
    package struct GameCenterPlayer: Codable, Equatable, Sendable {
        /// Unique for all games of a developer team; `fetchItems(forIdentityVerificationSignature:)` signs it.
        package var teamPlayerID: String?
        /// Unique for one game; signed instead of `teamPlayerID` for Apple Arcade.
        package var gamePlayerID: String?
        /// `generateIdentityVerificationSignature` of older systems signs it.
        package var playerID: String?
        /// Not verified, for display.
        package var displayName: String?

        package init(
            teamPlayerID: String? = nil, gamePlayerID: String? = nil, playerID: String? = nil,
            displayName: String? = nil
        ) {
            self.teamPlayerID = teamPlayerID
            self.gamePlayerID = gamePlayerID
            self.playerID = playerID
            self.displayName = displayName
        }
    }

    /// What `GKLocalPlayer` returns to prove its player.
    package struct GameCenterProof: Codable, Equatable, Sendable {
        /// Where Apple publishes the certificate of the signing key.
        package var publicKeyURL: String
        package var signature: OctetString
        package var salt: OctetString
        package var signedAt: Moment

        package init(publicKeyURL: String, signature: OctetString, salt: OctetString, signedAt: Moment) {
            self.publicKeyURL = publicKeyURL
            self.signature = signature
            self.salt = salt
            self.signedAt = signedAt
        }
    }
}

public import Foundation

#if canImport(GameKit)
    internal import GameKit
#endif

/// Credentials of Game Center.
public enum GameCenterAuthProvider {
    /// `gc.apple.com`.
    public static let id = "gc.apple.com"

    /// The identity of a player, as Game Center has signed it.
    public struct Identity: Hashable, Sendable {
        /// The ID of the player in the games of the team; empty on old systems.
        public var teamPlayerID: String
        /// The ID of the player in this game; empty on old systems.
        public var gamePlayerID: String
        /// The name of the player.
        public var displayName: String?
        /// Where the certificate of the signature is.
        public var publicKeyURL: URL
        /// The signature.
        public var signature: Data
        /// The random bytes in the signature.
        public var salt: Data
        /// When the signature was made: milliseconds since 1970.
        public var timestamp: UInt64

        /// The values of `fetchItems(forIdentityVerificationSignature:)`.
        public init(
            teamPlayerID: String, gamePlayerID: String, displayName: String? = nil, publicKeyURL: URL, signature: Data,
            salt: Data, timestamp: UInt64
        ) {
            self.teamPlayerID = teamPlayerID
            self.gamePlayerID = gamePlayerID
            self.displayName = displayName
            self.publicKeyURL = publicKeyURL
            self.signature = signature
            self.salt = salt
            self.timestamp = timestamp
        }
    }

    /// A signed identity. It is valid for an hour and one use.
    public static func credential(with identity: Identity) -> AuthCredential {
        AuthCredential(provider: id, .gameCenter(identity))
    }

    /// The credential of the local player.
    /// - Throws: `localPlayerNotAuthenticated`; `gameKitNotLinked` where the system has no Game Center; an error of Game
    ///   Center.
    @MainActor
    public static func getCredential() async throws -> AuthCredential {
        #if canImport(GameKit) && !os(watchOS)
            let player = GKLocalPlayer.local
            guard player.isAuthenticated else { throw AuthErrorCode(.localPlayerNotAuthenticated) }
            let (publicKeyURL, signature, salt, timestamp) =
                try await player.fetchItemsForIdentityVerificationSignature()
            return credential(
                with: Identity(
                    teamPlayerID: player.teamPlayerID, gamePlayerID: player.gamePlayerID,
                    displayName: player.displayName, publicKeyURL: publicKeyURL, signature: signature, salt: salt,
                    timestamp: timestamp))
        #else
            throw AuthErrorCode(.gameKitNotLinked)
        #endif
    }

    /// The form with a completion handler.
    public static func getCredential(
        completion: @escaping @MainActor @Sendable (AuthCredential?, (any Error)?) -> Void
    ) {
        run(completion) { try await getCredential() }
    }
}

/// `accounts:signInWithGameCenter` (REST 2.9).
struct GameCenterSignInRequest: AuthRequest {
    static let path = "v1/accounts:signInWithGameCenter"
    static let repetition = Repetition.ifNotReceived
    typealias Response = SignInResponse

    var teamPlayerId: String
    var gamePlayerId: String
    var displayName: String?
    var publicKeyUrl: String
    var signature: Data
    var salt: Data
    var timestamp: UInt64
    var idToken: String?
    var tenantId: String?

    init(_ identity: GameCenterAuthProvider.Identity, idToken: String?, tenantId: String?) {
        teamPlayerId = identity.teamPlayerID
        gamePlayerId = identity.gamePlayerID
        displayName = identity.displayName
        publicKeyUrl = identity.publicKeyURL.absoluteString
        signature = identity.signature
        salt = identity.salt
        timestamp = identity.timestamp
        self.idToken = idToken
        self.tenantId = tenantId
    }
}

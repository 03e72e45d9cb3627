import Contracts
import Crypto
import Vocabulary

/// The signature of Game Center for a player, an application and a time (Apple:
/// `fetchItems(forIdentityVerificationSignature:)`).
enum GameCenterSignature {
    /// An older signature is rejected.
    static let maximumAge = Duration.seconds(3600)
    /// The maximum difference between the clocks.
    static let clockTolerance = Duration.seconds(60)

    private static let signatureBytes = 256...1024
    private static let saltBytes = 1...64
    private static let maximumPlayerIDBytes = 255

    /// What Game Center has signed.
    struct Verified: Equatable, Sendable {
        var playerID: String
        var message: [UInt8]
    }

    /// Checks what needs no key, before a request is sent.
    /// - Throws: `invalidProviderResponse` with the reason.
    static func check(_ proof: Federation.GameCenterProof, at now: Moment) throws(ServiceError) {
        guard signatureBytes.contains(proof.signature.bytes.count), saltBytes.contains(proof.salt.bytes.count) else {
            throw ServiceError(.invalidProviderResponse, "The signature or its salt is malformed.")
        }
        guard proof.signedAt > now - maximumAge - clockTolerance else {
            throw ServiceError(.invalidProviderResponse, "The signature is too old.")
        }
        guard proof.signedAt < now + clockTolerance else {
            throw ServiceError(.invalidProviderResponse, "The signature is not valid yet.")
        }
    }

    /// Until when a signature passes `check`.
    static func acceptableUntil(_ proof: Federation.GameCenterProof) -> Moment {
        proof.signedAt + maximumAge + clockTolerance
    }

    /// Verifies the signature for one of the player's IDs. The system of the device decides which one it covers.
    /// - Parameter bundleIDs: of the applications that may sign in.
    /// - Throws: `invalidProviderResponse` if it covers none of them.
    static func verify(
        _ proof: Federation.GameCenterProof, of player: Federation.GameCenterPlayer, bundleIDs: [String],
        with key: PublicKey
    ) throws(ServiceError) -> Verified {
        let playerIDs = [player.teamPlayerID, player.gamePlayerID, player.playerID].compactMap { $0?.nilIfEmpty }
        for playerID in playerIDs where isPlayerID(playerID) {
            for bundleID in bundleIDs {
                let message = message(playerID: playerID, bundleID: bundleID, proof)
                if key.isValid(signature: proof.signature.bytes, for: message, .rs256) {
                    return Verified(playerID: playerID, message: message)
                }
            }
        }
        throw ServiceError(.invalidProviderResponse, "The signature is not of this player and application.")
    }

    /// The ID, the bundle ID, the time as 64 bits in big-endian order, and the salt.
    static func message(playerID: String, bundleID: String, _ proof: Federation.GameCenterProof) -> [UInt8] {
        let milliseconds = UInt64(bitPattern: proof.signedAt.milliseconds)
        let time = (0..<8).reversed().map { UInt8(truncatingIfNeeded: milliseconds >> ($0 * 8)) }
        return Array((playerID + bundleID).utf8) + time + proof.salt.bytes
    }

    /// Visible ASCII, such as `T:_…`.
    private static func isPlayerID(_ text: String) -> Bool {
        text.utf8.count <= maximumPlayerIDBytes && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

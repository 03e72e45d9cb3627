import Contracts
import Crypto
import JOSE
import JSON
import Vocabulary

/// The client secret for Apple's token endpoint: a JSON Web Token, signed for each use (security rule FE16).
enum AppleClientSecret {
    static let validitySeconds: Int64 = 300

    /// The secret of a provider's client.
    /// - Throws: as below.
    static func sign(for provider: Federation.Provider, at now: Timestamp) throws(ServiceError) -> String {
        guard case .supported(let apple?) = provider.kind else {
            throw ServiceError(.providerDisabled, "apple.com has no key for the code flow")
        }
        return try sign(for: provider.clientID, apple, at: now)
    }

    /// - Throws: `providerDisabled` for a configuration without a usable key.
    static func sign(
        for clientID: String, _ configuration: Federation.Provider.Apple, at now: Timestamp
    ) throws(ServiceError) -> String {
        guard let team = configuration.teamID, let keyID = configuration.keyID,
            let pem = configuration.privateKey?.reveal()
        else { throw ServiceError(.providerDisabled, "apple.com has no key for the code flow") }
        struct Claims: Encodable {
            var iss, aud, sub: String
            var iat, exp: Int64
        }
        let claims = Claims(
            iss: team, aud: "https://appleid.apple.com", sub: clientID, iat: now.seconds,
            exp: (now + validitySeconds).seconds)
        do {
            return try JWT.sign(
                claims: try WireJSON.encode(claims), keyID: keyID, with: try PrivateKey(pem: pem),
                includesType: false)
        } catch {
            throw ServiceError(.providerDisabled, "the key of apple.com is unusable")
        }
    }
}

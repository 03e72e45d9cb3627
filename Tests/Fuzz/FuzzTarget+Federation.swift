import Contracts
import Crypto
import FoundationEssentials
import JOSE
import Vocabulary

@testable import FederationService

extension FuzzTarget {
    private static let keys = "{\"keys\":[]}"
    private static let pendingTokens = try? PendingTokenSealer(key: [UInt8](repeating: 7, count: 32))

    /// The input as the token and as the documents and replies of an identity provider, and as what clients send beside
    /// them.
    static func readIdentityProvider(_ text: String) throws {
        let json = Data(text.utf8)
        _ = try? JWKSet(json: json)
        readToken(text)
        let url = "https://idp.example/.well-known/openid-configuration"
        if let document = try? DiscoveryDocument(json: json, from: url, isDev: false) {
            try demand(WebURL(document.keySetURL)?.isSecure == true, "keys are fetched over TLS")
        }
        if let claims = ProviderClaims(json: json) {
            let user = ProviderUser(
                providerID: "google.com", subject: "a", claims: claims, json: text, sentBesideToken: text)
            for provider in Federation.SupportedProvider.allCases {
                let identity = provider.adapter.profile(of: user).identity
                try demand(!identity.isEmailAuthoritative || identity.isEmailVerified, "an authority has verified")
            }
            let assertion = EmailAssertion.openID(claims, authoritativeDomains: ["example.com"])
            try demand(!assertion.isAuthoritative || assertion.isVerified, "an authority has verified")
            _ = Federation.ProviderProfile(user, email: assertion, attributes: claims.attributes)
        }
        _ = try? DebuggedToken(json: json, appID: "1")
        _ = try? ProviderUser(of: "google.com", json: json) { $0.text("sub") }
        _ = GitHubAdapter.primaryEmail(json: json)
        _ = try? TokenResponse(json: json, status: 200)
        _ = DevEndpoints(text)
        _ = CacheControl.maximumAge(text)
        try demand((try? pendingTokens?.open(Secret(text), for: realm, at: now)) == nil, "a pending token is sealed")
    }

    /// What a client says that Game Center has signed.
    static func checkGameCenter(_ proof: Federation.GameCenterProof, of player: Federation.GameCenterPlayer) throws {
        _ = try? GameCenterSignature.check(proof, at: now)
        _ = GameCenterSignature.acceptableUntil(proof)
        let message = GameCenterSignature.message(playerID: player.playerID ?? "", bundleID: "org.example", proof)
        try demand(
            message.count >= "org.example".utf8.count + 8 + proof.salt.bytes.count, "time and salt are in the message")
        for address in [proof.publicKeyURL, GameCenterURL.issuer(proof.publicKeyURL)].compactMap(\.self) {
            guard GameCenterURL.isCertificate(address) else { continue }
            try demand(
                WebURL(address)?.isSecure == true && WebURL(address)?.host.hasSuffix(".apple.com") == true,
                "certificates are fetched from Apple")
        }
    }

    static func readPracticeCode(_ text: String) {
        _ = PracticeCode.user(of: text)
        _ = UnsignedToken.claims(of: text)
        _ = BrowserSignIn.digest(hexadecimal: text)
        _ = PracticeProvider.replaces(text)
    }

    private static func readToken(_ text: String) {
        guard let keys = try? JWKSet(json: Data(keys.utf8)) else { return }
        for provider in Federation.SupportedProvider.allCases {
            guard let source = provider.adapter.description.idTokens else { continue }
            for token in [text, JWT.unsigned(claims: Data(text.utf8))] {
                _ = try? IDTokenRules(source: source, audiences: ["a"]).verify(token, with: keys, at: now.timestamp)
            }
            guard let claims = ProviderClaims(json: Data(text.utf8)) else { continue }
            _ = try? AppleNotificationRules(source: source, audiences: ["a"]).notification(claims, at: now.timestamp)
        }
    }
}

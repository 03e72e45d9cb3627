import Contracts
import Crypto
import Vocabulary

/// A sign-in that was started in a browser, until the provider responds (security rule FE1).
struct BrowserSignIn: Equatable, Sendable {
    static let stateBytes = 32

    var stateDigest: [UInt8]
    var realm: Realm
    var providerID: String
    var sessionDigest: [UInt8]
    var redirectURL: String
    var context: String?
    var expiresAt: Moment

    static func digest(_ text: String) -> [UInt8] { SHA2.sha256(Array(text.utf8)) }

    /// The session digest that a native application sends instead of its session ID.
    /// - Returns: nil for anything but the 64 hexadecimal digits of a SHA-256.
    static func digest(hexadecimal text: String) -> [UInt8]? {
        guard text.utf8.count == 64, text.isASCIIHexadecimal else { return nil }
        var digest: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let high = rest.popFirst(), let low = rest.popFirst() {
            guard let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) else { return nil }
            digest.append(byte)
        }
        return digest
    }

    /// Checks that the response belongs to the browser, the realm, the provider and the address that this sign-in was
    /// started for.
    /// - Parameters:
    ///   - requestURL: where the provider sent the user; query and fragment do not count.
    ///   - providerID: nil if the response names none.
    /// - Throws: `invalidProviderResponse`.
    func check(
        realm: Realm, sessionID: String, requestURL: String, providerID: String?, at now: Moment
    ) throws(ServiceError) {
        guard self.realm == realm, constantTimeEquals(sessionDigest, Self.digest(sessionID)),
            Self.address(requestURL) == Self.address(redirectURL),
            providerID == nil || providerID == self.providerID
        else { throw .unknownState }
        guard isOpen(at: now) else {
            throw ServiceError(.invalidProviderResponse, "The sign-in has expired. Start it again.")
        }
    }

    func isOpen(at now: Moment) -> Bool { expiresAt.endsWindow(ofAtMost: Federation.browserSignInLifetime, at: now) }

    /// A URL without query and fragment.
    static func address(_ url: String) -> Substring { url.halves(at: "#").before.halves(at: "?").before }
}

extension ServiceError {
    /// The state is unknown, was redeemed, or belongs to another browser.
    static let unknownState = ServiceError(.invalidProviderResponse, "The state of the response is unknown.")
}

/// Derives the secret values of a sign-in in a browser from its state, so that the database contains none of them.
struct BrowserSignInSecrets: Sendable {
    let key: [UInt8]

    /// The raw nonce. The authorization request contains its SHA-256.
    func nonce(ofState state: String) -> String { derive("nonce/", state).hexadecimal }

    /// The ID of a SAML authentication request: an XML name.
    func requestID(ofState state: String) -> String { "_" + derive("saml-request/", state).hexadecimal }

    /// The PKCE verifier (RFC 7636 4.1).
    func codeVerifier(ofState state: String) -> String { Base64URL.encode(derive("code-verifier/", state)) }

    /// The PKCE challenge with S256 (RFC 7636 4.2).
    static func codeChallenge(of verifier: String) -> String {
        Base64URL.encode(SHA2.sha256(Array(verifier.utf8)))
    }

    /// The digest of a used assertion.
    /// - Parameter id: of the assertion, which contains no zero byte.
    func assertionDigest(realm: Realm, providerID: String, id: String) -> [UInt8] {
        let fields = [realm.project.rawValue, realm.tenant?.rawValue ?? "", providerID, id]
        return derive("assertion/", fields.joined(separator: "\0"))
    }

    /// The digest of a used ID token.
    func credentialDigest(realm: Realm, providerID: String, token: String) -> [UInt8] {
        // The signature is not part of it: ECDSA has several for one text.
        let signed = token.lastHalves(at: ".")?.before ?? token[...]
        return credentialDigest(realm: realm, providerID: providerID, message: Array(signed.utf8))
    }

    /// The digest of a used credential.
    /// - Parameter message: what the provider has signed.
    func credentialDigest(realm: Realm, providerID: String, message: [UInt8]) -> [UInt8] {
        // The fields contain no zero byte.
        let fields = [realm.project.rawValue, realm.tenant?.rawValue ?? "", providerID, ""]
        return derive("credential/", Array(fields.joined(separator: "\0").utf8) + message)
    }

    private func derive(_ purpose: String, _ text: String) -> [UInt8] { derive(purpose, Array(text.utf8)) }

    private func derive(_ purpose: String, _ message: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: key, message: Array(purpose.utf8) + message)
    }
}

/// An origin from which a relying party accepts ceremonies (WebAuthn 5.8.1). Origins are compared as text, so only the
/// form that clients send is accepted.
package struct RelyingPartyOrigin: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A page. The host is a domain or `localhost`.
        case web(host: String)
        /// An Android application, by the SHA-256 of its signing certificate.
        case androidApp
    }

    private static let androidPrefix = "android:apk-key-hash:"
    private static let sha256Bytes = 32

    /// The form in client data.
    package let text: String
    package let kind: Kind

    /// - Parameter isDev: allows `http://localhost`, with or without a port.
    /// - Returns: nil for any other text than `https://host`, `https://host:port` and `android:apk-key-hash:` with 43
    ///   characters of base64url: a path, capitals, a default port, an IP address.
    package init?(_ text: String, isDev: Bool) {
        self.text = text
        if text.hasPrefix(Self.androidPrefix) {
            let hash = Base64URL.decode(text[...].dropFirst(Self.androidPrefix.count))
            guard hash?.count == Self.sha256Bytes else { return nil }
            kind = .androidApp
            return
        }
        guard case let (scheme, rest?) = text.halves(at: ":"), rest.hasPrefix("//") else { return nil }
        let (host, digits) = rest.dropFirst(2).halves(at: ":")
        // A relying party ID and the host of an origin have the same form.
        guard let domain = RelyingPartyID(String(host)) else { return nil }
        let defaultPort: Substring
        switch scheme {
        case "https": defaultPort = "443"
        case "http" where isDev && domain.rawValue == RelyingPartyID.localhost: defaultPort = "80"
        default: return nil
        }
        if let digits {
            guard digits.isASCIIDigits, !digits.hasPrefix("0"), UInt16(digits) != nil, digits != defaultPort else {
                return nil
            }
        }
        kind = .web(host: domain.rawValue)
    }

    /// Whether browsers accept the origin only because `/.well-known/webauthn` lists it (WebAuthn 5.11): a page whose
    /// host is neither the ID nor below it.
    package func isRelated(to id: RelyingPartyID) -> Bool {
        switch kind {
        case .web(let host): !id.covers(host: host)
        case .androidApp: false
        }
    }
}

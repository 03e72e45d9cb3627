import Contracts
import Vocabulary

/// The rules of a registered application (RFC 8252 §7, RFC 9700 §4.1).
extension Identity.ApplicationRegistration {
    static let maximumRedirectURLs = 20
    static let maximumOrigins = 20

    /// - Parameters:
    ///   - stored: what it replaces. A name that was stored before there was a rule stays.
    ///   - isDev: allows a web page on a loopback address without TLS.
    /// - Throws: `invalidApplication`.
    func check(after stored: Self? = nil, isDev: Bool) throws(ServiceError) {
        // Users read it, like the name of a passkey.
        guard AccountPasskey.isName(displayName) || displayName == stored?.displayName else {
            throw .invalidApplication(
                "displayName must have 1 to \(AccountPasskey.maximumNameLength) characters, and none that"
                    + " control, turn or hide text")
        }
        guard (1...Self.maximumRedirectURLs).contains(redirectURLs.count) else {
            throw .invalidApplication("redirectUris must have 1 to \(Self.maximumRedirectURLs) addresses")
        }
        guard Set(redirectURLs).count == redirectURLs.count else {
            throw .invalidApplication("redirectUris has an address twice")
        }
        for (index, url) in redirectURLs.enumerated() {
            if let problem = problem(ofRedirectURL: url, isDev: isDev) {
                throw .invalidApplication("redirectUris[\(index)] \(problem)")
            }
        }
        try checkOrigins(isDev: isDev)
    }

    private func checkOrigins(isDev: Bool) throws(ServiceError) {
        guard kind == .web || origins.isEmpty else {
            throw .invalidApplication("origins are for the kind WEB: other applications run in no browser")
        }
        guard origins.count <= Self.maximumOrigins else {
            throw .invalidApplication("origins has at most \(Self.maximumOrigins) entries")
        }
        guard Set(origins).count == origins.count else { throw .invalidApplication("origins has an entry twice") }
        for (index, origin) in origins.enumerated() {
            guard let url = WebURL(origin), url.origin == origin, Self.isWeb(url, isDev: isDev) else {
                throw .invalidApplication("origins[\(index)] must be like https://app.example.com, without a path")
            }
        }
    }

    /// - Returns: nil for an address that applications of the kind can have; otherwise the end of a sentence.
    private func problem(ofRedirectURL text: String, isDev: Bool) -> String? {
        // Addresses are compared as a whole. An asterisk would only look like a pattern.
        guard !text.utf8.contains(UInt8(ascii: "*")) else { return "has an asterisk: there are no patterns" }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { return "has a fragment" }
        switch kind {
        case .web:
            let isWeb = WebURL(text).map { Self.isWeb($0, isDev: isDev) } ?? false
            return isWeb ? nil : "must be an absolute https address"
        case .ios, .android:
            let isWeb = WebURL(text).map { Self.isWeb($0, isDev: false) } ?? false
            return isWeb || Self.hasPrivateScheme(text)
                ? nil : "must be an https address, or have a scheme like com.example.app:/signed-in"
        case .tool:
            // `localhost` may be another machine (RFC 8252 §8.3). The tool chooses its port when it listens.
            guard let url = WebURL(text), !url.isSecure, ["127.0.0.1", "[::1]"].contains(url.authority) else {
                return "must be like http://127.0.0.1/signed-in or http://[::1]/signed-in, without a port"
            }
            return nil
        }
    }

    private static func isWeb(_ url: WebURL, isDev: Bool) -> Bool {
        url.isSecure || isDev && url.isLoopback
    }

    /// Whether an address has a scheme that only its application uses: a domain in reverse order (RFC 8252 §7.1).
    private static func hasPrivateScheme(_ text: String) -> Bool {
        guard text.utf8.count <= WebURL.maximumBytes, WebURL.hasUnambiguousBytes(text),
            case let (scheme, path?) = text.halves(at: ":"), path.hasPrefix("/")
        else { return false }
        let labels = scheme.pieces(at: ".")
        return labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty && label.utf8.allSatisfy { $0.isASCIINameByte && $0 == $0.asciiLowercased }
            }
            && scheme.utf8.first.map { (0x61...0x7a).contains($0) } ?? false
    }
}

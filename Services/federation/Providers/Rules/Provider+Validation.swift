import Contracts
import Vocabulary

extension Federation.Provider {
    private static let maximumTextBytes = 512
    private static let maximumDisplayNameLength = 256
    static let maximumListEntries = 100

    /// Checks a configuration before it is stored.
    /// - Parameters:
    ///   - stored: what it replaces.
    ///   - isDev: allows an issuer with plain HTTP on this machine.
    /// - Throws: `invalidProviderConfiguration` with the reason, `invalidIssuer`.
    func validate(after stored: Self? = nil, isDev: Bool) throws(ServiceError) {
        try checkDisplayName(after: stored)
        if case .saml(let saml) = kind { return try validate(saml, isDev: isDev) }
        guard Self.isText(clientID) else { throw .invalid("clientId must be a text of 1 to 512 bytes") }
        if let secret = clientSecret, !Self.isText(secret.reveal()) {
            throw .invalid("clientSecret must be a text of 1 to 512 bytes")
        }
        switch kind {
        case .supported(let apple):
            guard let provider = Federation.SupportedProvider(rawValue: id) else {
                throw .invalid("\(id.prefix(64)) is not a supported provider")
            }
            guard apple == nil || provider == .apple else {
                throw .invalid("appleSignInConfig belongs to apple.com only")
            }
            try provider.adapter.validate(self)
        case .oidc(let openID):
            guard Self.isOpenIDProviderID(id) else {
                throw .invalid("the ID must be oidc. and 1 to 59 letters, digits, dots and hyphens")
            }
            try Self.validate(openID, isDev: isDev)
        case .saml: return
        }
    }

    /// `oidc.` and up to 59 letters, digits, dots, hyphens and underscores.
    static func isOpenIDProviderID(_ id: String) -> Bool { isID(id, prefix: "oidc.") }

    /// - Parameter prefix: has five bytes.
    static func isID(_ id: String, prefix: String) -> Bool {
        id.hasPrefix(prefix) && (6...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0.isASCIINameByte || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }
    }

    private static func validate(_ openID: Federation.Provider.OpenID, isDev: Bool) throws(ServiceError) {
        // Discovery 1.0, 3: no query and no fragment. `WebURL` refuses user information.
        guard openID.issuer.utf8.count <= maximumTextBytes, let url = WebURL(openID.issuer), url.query == nil,
            url.fragment == nil, url.isSecure || isDev && url.isLoopback
        else { throw ServiceError(.invalidIssuer) }
        try check(authoritativeDomains: openID.authoritativeDomains)
    }

    /// What was stored before there was a rule stays, so that it refuses no change of another member.
    private func checkDisplayName(after stored: Self?) throws(ServiceError) {
        guard let displayName, displayName != stored?.displayName else { return }
        guard displayName.unicodeScalars.count <= Self.maximumDisplayNameLength else {
            throw .invalid("displayName has more than \(Self.maximumDisplayNameLength) characters")
        }
        guard displayName.isShownAsItIs else {
            throw .invalid("displayName has characters that control, turn or hide text")
        }
    }

    private var displayName: String? {
        switch kind {
        case .supported: nil
        case .oidc(let configuration): configuration.displayName
        case .saml(let configuration): configuration.displayName
        }
    }

    static func check(authoritativeDomains domains: [String]) throws(ServiceError) {
        guard domains.count <= maximumListEntries, domains.allSatisfy({ $0 == "*" || WebURL.isHostName($0) }) else {
            throw .invalid("the authoritative domains must be domain names or *")
        }
    }

    /// Visible ASCII, as RFC 6749 A.1 and A.2 require, without the blank.
    private static func isText(_ text: String) -> Bool {
        (1...maximumTextBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

extension ServiceError {
    static func invalid(_ reason: String) -> ServiceError {
        ServiceError(.invalidProviderConfiguration, reason)
    }
}

/// What the relying party expects of every ceremony.
package struct RelyingParty: Equatable, Sendable {
    /// Whether a page of another origin may contain the page of the ceremony.
    package enum Framing: Equatable, Sendable {
        case notAllowed
        /// - Parameter topOrigins: the allowed origins of the outermost page, as exact strings.
        case allowed(topOrigins: [String])
    }

    /// The RP ID: a domain.
    package var id: String
    /// The allowed origins, as exact strings: `https://login.example.com`, `android:apk-key-hash:…`.
    package var origins: [String]
    /// Also allows `http://localhost` with any port. For development only.
    package var allowsLocalhostOrigins: Bool
    package var framing: Framing

    package init(id: String, origins: [String], allowsLocalhostOrigins: Bool = false, framing: Framing = .notAllowed) {
        self.id = id
        self.origins = origins
        self.allowsLocalhostOrigins = allowsLocalhostOrigins
        self.framing = framing
    }
}

/// The W3C enumeration `UserVerificationRequirement`, with its spelling.
package enum UserVerificationRequirement: String, CaseIterable, Codable, Sendable {
    case required, preferred, discouraged
}

import Contracts
package import DatabaseService
import PublicSuffixes
package import ServiceRuntime
import Settings
package import Vocabulary

/// The settings of the passkey service.
package struct PasskeySettings: Sendable {
    package var common: DatabaseServiceSettings
    package var relyingParty: RelyingPartyDefaults
    package var trust: AttestationTrust

    /// - Parameter now: the certificates of the metadata must be valid then.
    /// - Throws: one error with every missing or malformed setting.
    package init(_ environment: Environment, at now: Moment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.passkey))
        common = DatabaseServiceSettings(.passkey, from: &reader)
        relyingParty = Self.relyingParty(isDev: common.process.isDev, from: &reader)
        trust = AttestationTrust(from: &reader, at: now)
        try reader.finish()
    }

    private static func relyingParty(isDev: Bool, from reader: inout SettingsReader) -> RelyingPartyDefaults {
        let id: RelyingPartyID? = reader.value(
            .passkeyRPID, default: isDev ? RelyingPartyID(RelyingPartyID.localhost) : nil, placeholder: nil,
            expects: "a domain in lower case that is no public suffix, without scheme, port and trailing dot",
            example: "example.com", parse: { relyingPartyID($0, isDev: isDev) })
        let console = reader.origin(.adminURL, default: nil, example: "https://admin.auth.example.com")
        guard reader.optionalString(.passkeyOrigins) != nil else {
            return .init(id: id, isDev: isDev, consoleOrigin: console)
        }
        let origins = reader.list(.passkeyOrigins, example: originExample)
        for origin in origins where RelyingPartyOrigin(origin, isDev: isDev) == nil {
            reader.addIssue(
                .passkeyOrigins,
                "has \"\(LogEscaping.escaped(origin, maximumBytes: 100))\", which is not the origin of a page or an app",
                remedy: "Write it like \(originExample), without a path")
        }
        if !isDev, reader.optionalString(.passkeyRPID) == nil {
            reader.addIssue(
                .passkeyOrigins, "is set without \(Setting.passkeyRPID.name)",
                remedy: "Set both, or none of them")
        }
        return .init(id: id, origins: origins, isDev: isDev, consoleOrigin: console)
    }

    private static let originExample = "https://login.example.com"

    private static func relyingPartyID(_ text: String, isDev: Bool) -> RelyingPartyID?? {
        RelyingPartyID(text).flatMap { id in
            // A single label counts as a public suffix, and this one is the default of dev mode.
            let isAllowed = isDev && id.rawValue == RelyingPartyID.localhost || !PublicSuffixes.contains(id.rawValue)
            return isAllowed ? .some(.some(id)) : nil
        }
    }
}

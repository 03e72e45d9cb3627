import Contracts
package import Vocabulary
import WebAuthn

/// The relying party of realms that configure none: `LATCHKEY_PASSKEY_RP_ID` and `LATCHKEY_PASSKEY_ORIGINS`.
package struct RelyingPartyDefaults: Equatable, Sendable {
    /// Nil: such realms have no passkeys.
    package var id: RelyingPartyID?
    /// Exact texts; nil: `https://` and the ID.
    package var origins: [String]?
    package var isDev: Bool
    /// The origin of the console. Nil: `localhost` with any port, at which the machine itself reaches it.
    package var consoleOrigin: String?
}

/// The relying party of a realm: its configuration, and the defaults for what it leaves open.
struct EffectiveRelyingParty: Equatable, Sendable {
    let id: RelyingPartyID
    /// Exact texts.
    let origins: [String]
    /// Also `http://localhost` with any port: in dev mode, for `localhost` without configured origins.
    let allowsLocalhostOrigins: Bool
    let configuration: ProjectConfiguration.Passkeys

    /// - Throws: `passkeysNotEnabled` when they are disabled, or when there is no relying party ID.
    init(_ configuration: ProjectConfiguration.Passkeys?, defaults: RelyingPartyDefaults) throws(ServiceError) {
        let configured = configuration?.relyingPartyId
        guard configuration.allowsPasskeys, let id = configured.map(RelyingPartyID.init) ?? defaults.id else {
            throw ServiceError(.passkeysNotEnabled)
        }
        self.id = id
        self.configuration = configuration ?? .init()
        // The origins of the settings belong to the ID of the settings.
        if let origins = configuration?.origins.nilIfEmpty ?? (id == defaults.id ? defaults.origins : nil) {
            self.origins = origins
            allowsLocalhostOrigins = false
        } else {
            origins = ["https://\(id)"]
            allowsLocalhostOrigins = defaults.isDev && id.rawValue == RelyingPartyID.localhost
        }
    }

    /// The relying party of operators: the host at which browsers reach the console.
    /// - Throws: `passkeysNotEnabled` when they are disabled, and for an IP address, for which browsers create no passkeys.
    init(
        ofOperators configuration: ProjectConfiguration.Passkeys?, defaults: RelyingPartyDefaults
    ) throws(ServiceError) {
        let host = defaults.consoleOrigin.map { WebURL("\($0)/")?.host ?? "" } ?? RelyingPartyID.localhost
        guard configuration.allowsPasskeys, let id = RelyingPartyID(host) else {
            throw ServiceError(.passkeysNotEnabled)
        }
        self.id = id
        self.configuration = configuration ?? .init()
        origins = defaults.consoleOrigin.map { [$0] } ?? []
        allowsLocalhostOrigins = defaults.consoleOrigin == nil
    }

    /// That of a realm.
    init(
        _ configuration: ProjectConfiguration.Passkeys?, of realm: Realm, defaults: RelyingPartyDefaults
    ) throws(ServiceError) {
        self =
            try realm == .operators
            ? EffectiveRelyingParty(ofOperators: configuration, defaults: defaults)
            : EffectiveRelyingParty(configuration, defaults: defaults)
    }

    /// What a response must match.
    var expectations: RelyingParty {
        RelyingParty(id: id.rawValue, origins: origins, allowsLocalhostOrigins: allowsLocalhostOrigins)
    }

    var name: String { configuration.relyingPartyName.nilIfEmpty ?? id.rawValue }

    var userVerification: Passkey.UserVerification { configuration.userVerification ?? .required }

    var conveyance: ProjectConfiguration.Passkeys.Conveyance { configuration.attestation?.conveyance ?? .none }

    /// Whether a sign-in is refused when the signature counter of the credential did not increase. Copies of a
    /// credential that may be backed up share no counter (WebAuthn 6.1.1).
    func refusesCounterRegression(of credential: PasskeyCredential) -> Bool {
        switch configuration.counterRegression {
        case .refuse: true
        case .record: false
        case nil: !credential.isBackupEligible
        }
    }

    /// The web origins that are neither the ID nor below it (WebAuthn 5.11).
    var relatedOrigins: [String] {
        origins.filter { RelyingPartyOrigin($0, isDev: false)?.isRelated(to: id) ?? false }
    }
}

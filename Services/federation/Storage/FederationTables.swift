import Contracts
import DatabaseService
import SQL
import Vocabulary

/// The tables of federation.
enum FederationTables {
    static let all: [any SQLTableDescription.Type] = [
        ProviderTable.self, ProviderChangeTable.self, BrowserSignInTable.self, UsedCredentialTable.self,
    ]
}

/// The configured providers of each realm.
enum ProviderTable: String, ListedTable {
    case project, tenant, list, document, revision
    case providerID = "provider_id"
    case sealedClientSecret = "sealed_client_secret"
    case sealedPrivateKey = "sealed_private_key"
    /// Null while identity has the tenant.
    case unlistedSince = "unlisted_since"
    /// 0 for providers of former versions.
    case establishedAt = "established_at"

    static let table = "providers"
    static let key = [project, tenant, providerID]
    static let expiry = SQLExpiry<Self>.deletedBy("Reconciliation")
    static let listed = [project, tenant]
    /// The project itself is no tenant.
    static let listedCondition = "tenant <> ''"

    static let insertion = insert("ON CONFLICT (project, tenant, provider_id) DO NOTHING")
    static let byKey = select()
    /// The argument is the revision that was read.
    static let replacement = update(
        [list, document, sealedClientSecret, sealedPrivateKey, revision, establishedAt], "AND revision = $1")
    static let removal = delete()
    /// The arguments are the last ID of the page before and the number of rows.
    static let page = select(
        where: [project, tenant, list], "AND provider_id > $1 ORDER BY provider_id LIMIT $2")
}

/// A tenant with providers.
struct ProviderTenant {
    let realm: Realm
}

extension ProviderTenant: ListedKey {
    var record: SQLRecord<ProviderTable> { SQLRecord(realm) }

    init(_ row: SQLTableRow<ProviderTable>) throws(SQLError) { realm = try row.realm() }
}

/// Changes of configurations that identity has not recorded yet.
enum ProviderChangeTable: String, AuditedChangeTable {
    typealias Request = Identity.RecordProviderChange

    case project, tenant, change, at, traceparent
    case changeID = "change_id"
    case ipAddress = "ip_address"
    case operatorName = "operator_name"

    static let table = "provider_changes"
    static let outbox = "provider-changes"
}

/// Sign-ins that were started in a browser.
enum BrowserSignInTable: String, SQLRealmTable {
    case project, tenant, context
    case stateDigest = "state_digest"
    case providerID = "provider_id"
    case sessionDigest = "session_digest"
    case redirectURL = "redirect_url"
    case expiresAt = "expires_at"

    static let table = "sign_in_attempts"
    static let key = [stateDigest]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert()
    static let byKey = select()
    static let removal = delete()
}

/// ID tokens with a nonce, SAML assertions and other credentials that were used, until they are no longer valid.
enum UsedCredentialTable: String, SQLTableDescription {
    case digest
    case expiresAt = "expires_at"

    static let table = "used_credentials"
    static let key = [digest]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert("ON CONFLICT (digest) DO NOTHING")
    static let removal = delete()
}

// MARK: - Records and rows

extension Federation.ProviderList: SQLConvertible {}

/// The column `document`: a provider without its ID and secrets.
struct ProviderDocument: Codable, Equatable {
    var isEnabled: Bool
    var clientID: String
    // A generic OpenID provider.
    var displayName: String?
    var issuer: String?
    var usesCodeFlow: Bool?
    var authoritativeDomains: [String]?
    // Apple.
    var bundleIDs: [String]?
    var teamID: String?
    var keyID: String?
    var saml: Federation.Provider.SAML?

    init(_ provider: Federation.Provider) {
        isEnabled = provider.isEnabled
        clientID = provider.clientID
        switch provider.kind {
        case .oidc(let openID):
            displayName = openID.displayName
            issuer = openID.issuer
            usesCodeFlow = openID.usesCodeFlow
            authoritativeDomains = openID.authoritativeDomains
        case .supported(let apple):
            bundleIDs = apple?.bundleIDs
            teamID = apple?.teamID
            keyID = apple?.keyID
        case .saml(let provider): saml = provider
        }
    }

    func provider(
        id: String, list: Federation.ProviderList, clientSecret: Secret<String>?, privateKey: Secret<String>?
    ) -> Federation.Provider {
        let kind: Federation.Provider.Kind =
            switch list {
            case .oidc:
                .oidc(
                    .init(
                        displayName: displayName, issuer: issuer ?? "", usesCodeFlow: usesCodeFlow ?? false,
                        authoritativeDomains: authoritativeDomains ?? []))
            case .supported:
                .supported(
                    bundleIDs.map { .init(bundleIDs: $0, teamID: teamID, keyID: keyID, privateKey: privateKey) })
            case .saml:
                .saml(
                    saml
                        ?? .init(
                            entityID: "", signOnURL: "", certificates: [], serviceProviderEntityID: "", callbackURL: "")
                )
            }
        return .init(id: id, isEnabled: isEnabled, clientID: clientID, clientSecret: clientSecret, kind: kind)
    }
}

extension Federation.Provider {
    var list: Federation.ProviderList {
        switch kind {
        case .supported: .supported
        case .oidc: .oidc
        case .saml: .saml
        }
    }

    /// Whether what `former` has verified counts for this provider, too.
    func isSameSource(as former: Federation.Provider) -> Bool {
        guard isEnabled == former.isEnabled || former.isEnabled, clientID == former.clientID else { return false }
        return switch (kind, former.kind) {
        case (.supported, .supported): true
        case (.oidc(let openID), .oidc(let other)): openID.issuer == other.issuer
        case (.saml(let saml), .saml(let other)):
            saml.entityID == other.entityID && saml.certificates == other.certificates
        case (.supported, _), (.oidc, _), (.saml, _): false
        }
    }

    /// Whether federation signs requests to the provider with a key of its own.
    var signsRequests: Bool {
        switch kind {
        case .supported, .oidc: false
        case .saml(let saml): saml.signsRequests
        }
    }

    /// The key of Apple.
    var privateKey: Secret<String>? {
        switch kind {
        case .supported(let apple): apple?.privateKey
        case .oidc, .saml: nil
        }
    }
}

extension BrowserSignIn {
    var record: SQLRecord<BrowserSignInTable> {
        SQLRecord(realm) + [
            .stateDigest: stateDigest, .providerID: providerID, .sessionDigest: sessionDigest,
            .redirectURL: redirectURL, .context: context, .expiresAt: expiresAt,
        ]
    }

    init(_ row: SQLTableRow<BrowserSignInTable>) throws(SQLError) {
        self.init(
            stateDigest: try row.get(.stateDigest), realm: try row.realm(), providerID: try row.get(.providerID),
            sessionDigest: try row.get(.sessionDigest), redirectURL: try row.get(.redirectURL),
            context: try row.getIfPresent(.context), expiresAt: try row.get(.expiresAt))
    }
}

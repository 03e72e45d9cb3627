package import Vocabulary

extension Federation {
    /// An identity provider of a project or tenant (REST 5.3).
    package struct Provider: Codable, Equatable, Sendable {
        /// `google.com`, `oidc.…`, `saml.…`: unique in its realm.
        package var id: String
        package var isEnabled: Bool
        package var clientID: String
        package var clientSecret: Secret<String>?
        package var kind: Kind

        package enum Kind: Codable, Equatable, Sendable {
            /// A provider of the catalogue (`SupportedProvider`).
            case supported(Apple?)
            case oidc(OpenID)
            /// Its `clientID` is empty, and it has no `clientSecret`.
            case saml(SAML)
        }

        /// What only Apple needs.
        package struct Apple: Codable, Equatable, Sendable {
            package var bundleIDs: [String]
            package var teamID: String?
            package var keyID: String?
            /// PEM of the P-256 key that signs client secrets.
            package var privateKey: Secret<String>?

            package init(
                bundleIDs: [String] = [], teamID: String? = nil, keyID: String? = nil,
                privateKey: Secret<String>? = nil
            ) {
                self.bundleIDs = bundleIDs
                self.teamID = teamID
                self.keyID = keyID
                self.privateKey = privateKey
            }
        }

        /// A generic OpenID provider.
        package struct OpenID: Codable, Equatable, Sendable {
            package var displayName: String?
            package var issuer: String
            /// The authorization code flow; otherwise the implicit flow.
            package var usesCodeFlow: Bool
            /// The e-mail domains for which the provider is authoritative; `*`: all.
            package var authoritativeDomains: [String]

            package init(
                displayName: String? = nil, issuer: String, usesCodeFlow: Bool = false,
                authoritativeDomains: [String] = []
            ) {
                self.displayName = displayName
                self.issuer = issuer
                self.usesCodeFlow = usesCodeFlow
                self.authoritativeDomains = authoritativeDomains
            }
        }

        package init(
            id: String, isEnabled: Bool, clientID: String, clientSecret: Secret<String>? = nil, kind: Kind
        ) {
            self.id = id
            self.isEnabled = isEnabled
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.kind = kind
        }
    }

    /// Which resource of the administration interface lists a provider.
    package enum ProviderList: String, CaseIterable, Codable, Sendable { case supported, oidc, saml }

    /// Stores a new provider.
    package struct CreateProvider: BusRequest, Equatable {
        package static let operation = Federation.Operation.createProvider
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var provider: Provider
        package var client: ClientContext

        package init(realm: Realm, provider: Provider, client: ClientContext) {
            self.realm = realm
            self.provider = provider
            self.client = client
        }

        package typealias Reply = ProviderReply
    }

    /// Reads a provider.
    package struct ReadProvider: BusRequest, Equatable {
        package static let operation = Federation.Operation.readProvider
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var id: String

        package init(realm: Realm, id: String) {
            self.realm = realm
            self.id = id
        }

        package typealias Reply = ProviderReply
    }

    /// Stores a changed provider if it has not changed since `expectedRevision`.
    package struct ReplaceProvider: BusRequest, Equatable {
        package static let operation = Federation.Operation.replaceProvider
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var provider: Provider
        package var expectedRevision: Int64
        package var client: ClientContext

        package init(realm: Realm, provider: Provider, expectedRevision: Int64, client: ClientContext) {
            self.realm = realm
            self.provider = provider
            self.expectedRevision = expectedRevision
            self.client = client
        }

        package typealias Reply = ProviderReply
    }

    /// Deletes a provider.
    package struct DeleteProvider: BusRequest, Equatable {
        package static let operation = Federation.Operation.deleteProvider
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var id: String
        package var client: ClientContext

        package init(realm: Realm, id: String, client: ClientContext) {
            self.realm = realm
            self.id = id
            self.client = client
        }

        package typealias Reply = EmptyReply
    }

    /// The providers of one list, in the order of their IDs.
    package struct ListProviders: BusRequest, Equatable {
        package static let operation = Federation.Operation.listProviders
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumPageSize = 100
        package var realm: Realm
        package var list: ProviderList
        /// 1 to `maximumPageSize`.
        package var pageSize: Int
        /// The last ID of the page before.
        package var after: String?

        package init(realm: Realm, list: ProviderList, pageSize: Int, after: String? = nil) {
            self.realm = realm
            self.list = list
            self.pageSize = pageSize
            self.after = after
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var providers: [Provider]
            /// There are more behind the last one.
            package var hasMore: Bool
            /// For the names of resources.
            package var projectNumber: String

            package init(providers: [Provider], hasMore: Bool, projectNumber: String) {
                self.providers = providers
                self.hasMore = hasMore
                self.projectNumber = projectNumber
            }
        }
    }

    package struct ProviderReply: Codable, Equatable, Sendable {
        /// With its secrets: the administration interface shows them.
        package var provider: Provider
        package var revision: Int64
        /// For the names of resources.
        package var projectNumber: String
        /// After a change: why users cannot sign in yet, for example because the issuer does not resolve.
        package var warning: String?

        package init(provider: Provider, revision: Int64, projectNumber: String, warning: String? = nil) {
            self.provider = provider
            self.revision = revision
            self.projectNumber = projectNumber
            self.warning = warning
        }
    }
}

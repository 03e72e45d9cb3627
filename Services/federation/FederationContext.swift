import Bus
import Contracts
import DatabaseService
import JOSE
import Vocabulary

/// What the components of the service work with: what `FederationProgram` gives it, and the caches of what providers publish.
struct FederationContext: Sendable {
    let dependencies: FederationService.Dependencies
    let discovery: RemoteDocumentCache<DiscoveryDocument>
    let keySets: RemoteDocumentCache<JWKSet>
    let certificates: GameCenterCertificates
    let saml: SAMLMessages

    init(_ dependencies: FederationService.Dependencies) {
        self.dependencies = dependencies
        let client = dependencies.providers
        discovery = client.discoveryDocuments(isDev: dependencies.isDev)
        keySets = client.keySets()
        certificates = GameCenterCertificates(
            client: client, anchors: dependencies.gameCenterAnchors, now: dependencies.now,
            metrics: dependencies.metrics)
        saml = SAMLMessages(now: dependencies.now, store: dependencies.store)
    }
}

/// A handler of operations, or a component that several handlers use. It is a value that is made where it is used; all state
/// is in the context.
protocol FederationComponent: Sendable {
    var context: FederationContext { get }
}

extension FederationComponent {
    var now: @Sendable () -> Moment { context.dependencies.now }
    var randomBytes: @Sendable (_ count: Int) -> [UInt8] { context.dependencies.randomBytes }
    var store: FederationStore { context.dependencies.store }
    var peers: any BusRequestSending { context.dependencies.peers }
    var configurations: ProjectConfigurations { context.dependencies.configurations }
    var client: ProviderClient { context.dependencies.providers }
    var metrics: FederationMetrics { context.dependencies.metrics }
    var isDev: Bool { context.dependencies.isDev }
    var keySets: RemoteDocumentCache<JWKSet> { context.keySets }
    var saml: SAMLMessages { context.saml }

    var providers: ProviderDirectory { .init(context: context) }
    var tokenEndpoint: TokenEndpoint { .init(context: context) }
}

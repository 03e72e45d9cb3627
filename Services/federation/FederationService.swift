package import Bus
package import Contracts
import JOSE
package import Vocabulary

/// Sign-in with identity providers, and their configuration. The switch is the table of contents: one operation, one
/// handler.
///
/// This service verifies what a provider asserts. Identity decides which account that is.
package final class FederationService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: FederationStore
        package var peers: PeerClient
        package var providerChanges: ProviderChangeRecorder
        package var providers: ProviderClient
        /// The certificate of Game Center leads to one of them.
        package var gameCenterAnchors: GameCenterAnchors
        package var isDev: Bool
        /// Accepts unsigned ID tokens of providers without configuration. Only in dev mode.
        package var acceptsUnsignedTokens: Bool = false
        package var metrics: FederationMetrics
    }

    private let now: @Sendable () -> Moment
    private let configuration: ProviderConfigurationHandler
    private let starting: StartSignInHandler
    private let signIn: SignInHandler
    private let practice: PracticeHandler
    private let gameCenter: GameCenterHandler
    private let revocation: RevokeTokenHandler
    private let appleNotifications: AppleNotificationHandler

    package init(_ dependencies: Dependencies) {
        let (now, store, client) = (dependencies.now, dependencies.store, dependencies.providers)
        let directory = ProviderDirectory(
            store: store, discovery: client.discoveryDocuments(isDev: dependencies.isDev),
            peers: dependencies.peers, now: now)
        let keySets = client.keySets()
        let tokenEndpoint = TokenEndpoint(client: client, now: now)
        self.now = now
        let saml = SAMLMessages(now: now, store: store)
        configuration = ProviderConfigurationHandler(
            now: now, randomBytes: dependencies.randomBytes, store: store, peers: dependencies.peers,
            changes: dependencies.providerChanges, saml: saml, directory: directory, metrics: dependencies.metrics,
            isDev: dependencies.isDev)
        starting = StartSignInHandler(
            now: now, randomBytes: dependencies.randomBytes, store: store, providers: directory,
            saml: saml, peers: dependencies.peers, isDev: dependencies.isDev)
        signIn = SignInHandler(
            now: now, pendingTokens: store.pendingTokens,
            verification: ResponseVerification(
                now: now, store: store, providers: directory,
                idTokens: IDTokenVerifier(keySets: keySets, now: now),
                tokenEndpoint: tokenEndpoint, client: client, saml: saml,
                practice: dependencies.isDev
                    ? PracticeProvider(now: now, acceptsUnsignedTokens: dependencies.acceptsUnsignedTokens) : nil),
            peers: dependencies.peers, metrics: dependencies.metrics)
        practice = PracticeHandler(now: now, store: store, isDev: dependencies.isDev)
        gameCenter = GameCenterHandler(
            now: now, store: store, providers: directory,
            certificates: GameCenterCertificates(
                client: client, anchors: dependencies.gameCenterAnchors, now: now, metrics: dependencies.metrics),
            peers: dependencies.peers, metrics: dependencies.metrics)
        revocation = RevokeTokenHandler(
            now: now, providers: directory, tokenEndpoint: tokenEndpoint,
            revocationEndpoint: AppleRevocationEndpoint(client: client, now: now), peers: dependencies.peers)
        appleNotifications = AppleNotificationHandler(
            now: now, store: store, providers: directory, keySets: keySets, peers: dependencies.peers,
            metrics: dependencies.metrics)
    }

    package func handle(_ operation: Federation.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .startSignIn: try await call.reply(with: starting.start)
        case .signIn: try await call.reply(with: signIn.signIn)
        case .verifyResponse: try await call.reply(with: signIn.verifyResponse)
        case .readPracticeSignIn: try await call.reply(with: practice.read)
        case .finishPracticeSignIn: try await call.reply(with: practice.finish)
        case .signInWithGameCenter: try await call.reply(with: gameCenter.signIn)
        case .revokeToken: try await call.reply(with: revocation.revoke)
        case .receiveAppleNotification: try await call.reply(with: appleNotifications.receive)
        case .createProvider: try await call.reply(with: configuration.create)
        case .readProvider: try await call.reply(with: configuration.read)
        case .replaceProvider: try await call.reply(with: configuration.replace)
        case .deleteProvider: try await call.reply(with: configuration.delete)
        case .listProviders: try await call.reply(with: configuration.list)
        }
    }

    /// The error on the wire; nil for an unexpected one.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? ServiceError).map { WireError($0, now: now()) }
    }
}

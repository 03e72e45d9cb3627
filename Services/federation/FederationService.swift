package import Bus
package import Contracts
package import DatabaseService
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
        package var peers: any BusRequestSending
        package var configurations: ProjectConfigurations
        var providerChanges: ProviderChangeOutbox
        package var providers: ProviderClient
        /// The certificate of Game Center leads to one of them.
        package var gameCenterAnchors: GameCenterAnchors
        package var isDev: Bool
        /// Accepts unsigned ID tokens of providers without configuration. Only in dev mode.
        package var acceptsUnsignedTokens: Bool = false
        package var metrics: FederationMetrics
    }

    private let context: FederationContext

    package init(_ dependencies: Dependencies) {
        context = FederationContext(dependencies)
    }

    package func handle(_ operation: Federation.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .listSignInProviders:
            try await call.reply(with: ProviderConfigurationHandler(context: context).listForSignIn)
        case .startSignIn: try await call.reply(with: StartSignInHandler(context: context).start)
        case .signIn: try await call.reply(with: SignInHandler(context: context).signIn)
        case .verifyResponse: try await call.reply(with: SignInHandler(context: context).verifyResponse)
        case .readPracticeSignIn: try await call.reply(with: PracticeHandler(context: context).read)
        case .finishPracticeSignIn: try await call.reply(with: PracticeHandler(context: context).finish)
        case .signInWithGameCenter: try await call.reply(with: GameCenterHandler(context: context).signIn)
        case .revokeToken: try await call.reply(with: RevokeTokenHandler(context: context).revoke)
        case .receiveAppleNotification: try await call.reply(with: AppleNotificationHandler(context: context).receive)
        case .createProvider: try await call.reply(with: ProviderConfigurationHandler(context: context).create)
        case .readProvider: try await call.reply(with: ProviderConfigurationHandler(context: context).read)
        case .replaceProvider: try await call.reply(with: ProviderConfigurationHandler(context: context).replace)
        case .deleteProvider: try await call.reply(with: ProviderConfigurationHandler(context: context).delete)
        case .listProviders: try await call.reply(with: ProviderConfigurationHandler(context: context).list)
        }
    }
}

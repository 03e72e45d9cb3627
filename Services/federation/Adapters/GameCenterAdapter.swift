import Contracts

/// Game Center: a library of the device signs for its player, which `GameCenterHandler` verifies.
struct GameCenterAdapter: ProviderAdapter {
    var description: ProviderDescription {
        ProviderDescription(
            idTokens: nil, authorization: AuthorizationServer(authorizationURL: nil, tokenURL: nil, scopes: []))
    }

    var mobileClientID: (@Sendable (ProjectConfiguration.MobileApp) -> String?)? { { $0.bundleId } }

    /// A player has none.
    func email(_ claims: ProviderClaims) -> EmailAssertion { EmailAssertion() }

    func user(of token: AccessToken, through client: ProviderClient) async throws(ServiceError) -> ProviderUser {
        throw .invalidCredential("Game Center has no access tokens")
    }

    /// An application signs in with its bundle ID.
    func validate(_ provider: Federation.Provider) throws(ServiceError) {
        guard ProjectConfiguration.MobileApp.isBundleID(provider.clientID) else {
            throw .invalid("clientId of gc.apple.com must be a bundle ID")
        }
    }
}

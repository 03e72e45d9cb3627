import Contracts
import Vocabulary

/// What an identity provider does in its own way. A provider of the catalogue is a row of `Federation.SupportedProvider`, a file of
/// this folder and a line of `adapter` below. What its adapter does not say is as OpenID Connect defines it.
protocol ProviderAdapter: Sendable {
    /// Its endpoints, and how its ID tokens are verified.
    var description: ProviderDescription { get }

    /// The client IDs of its configuration that tokens may be for (security rule FE5).
    func clientIDs(of provider: Federation.Provider) -> [String]

    /// What makes a mobile application of the project another client of the provider. Nil: nothing does.
    var mobileClientID: (@Sendable (ProjectConfiguration.MobileApp) -> String?)? { get }

    /// What it asserts about the address of its user, and whose word about it counts (security rule FE12).
    func email(_ claims: ProviderClaims) -> EmailAssertion

    /// What it says about its user. The practice provider answers in the same way.
    func profile(of user: ProviderUser) -> Federation.ProviderProfile

    /// The user of an access token, after the provider has confirmed that it issued the token to this client.
    /// - Throws: `invalidProviderCredential` if it confirms none, `invalidProviderResponse`, `providerUnavailable`,
    ///   `providerDisabled` without a client secret that it needs.
    func user(of token: AccessToken, through client: ProviderClient) async throws(ServiceError) -> ProviderUser

    /// Checks what is special about its configuration.
    /// - Throws: `invalidProviderConfiguration` with the reason.
    func validate(_ provider: Federation.Provider) throws(ServiceError)
}

/// An access token that a client has presented, or that the provider has given for a code.
struct AccessToken: Sendable {
    /// Without quotes, backslashes, blanks and control characters.
    var text: String
    var provider: Federation.Provider
    /// The clients that it may be for.
    var audiences: Set<String>
}

extension Federation.SupportedProvider {
    /// The adapters, one line for each.
    var adapter: any ProviderAdapter {
        switch self {
        case .apple: AppleAdapter()
        case .facebook: FacebookAdapter()
        case .gameCenter: GameCenterAdapter()
        case .gitHub: GitHubAdapter()
        case .google: GoogleAdapter()
        case .linkedIn: LinkedInAdapter()
        case .microsoft: MicrosoftAdapter()
        }
    }
}

extension ProviderAdapter {
    func clientIDs(of provider: Federation.Provider) -> [String] { [provider.clientID] }

    var mobileClientID: (@Sendable (ProjectConfiguration.MobileApp) -> String?)? { nil }

    func profile(of user: ProviderUser) -> Federation.ProviderProfile { .init(user, email: email(user.claims)) }

    func user(of token: AccessToken, through client: ProviderClient) async throws(ServiceError) -> ProviderUser {
        throw .invalidCredential("no ID token")
    }

    func validate(_ provider: Federation.Provider) throws(ServiceError) {}
}

extension Error where Self == ServiceError {
    /// - Parameter problem: the end of the message.
    static func invalidCredential(_ problem: String) -> ServiceError {
        ServiceError(.invalidProviderCredential, "Invalid IdP response/credential: \(problem)")
    }
}

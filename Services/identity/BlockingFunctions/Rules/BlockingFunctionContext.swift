import Contracts
import Vocabulary

/// What an event of a blocking function says about the request, beside the account.
struct BlockingFunctionContext: Sendable {
    /// With the configuration of the realm. The functions are always those of the project, also for tenants.
    var project: Project
    var client: ClientContext
    /// nil: the provider of the session.
    var signInMethod: String?
    /// The provider of a sign-in with an identity provider.
    var provider: Identity.ProviderDetails?
    /// Counts a new account that the function disables, as it counts one that signs in.
    var quota: SignUpQuota?
    /// Google calls no function for these (REST 8): anonymous users, custom tokens of a backend, and the link of an
    /// address with a password. A setting of the operator widens it.
    var isExempt = false

    static let emailLinkMethod = "emailLink"
    static let emailCodeMethod = "emailCode"

    /// The tokens of the provider that the project passes on.
    var forwards: ProjectConfiguration.BlockingFunctions.InboundCredentials? {
        project.configuration.blockingFunctions?.forwardInboundCredentials
    }
}

import Contracts
import Vocabulary

/// A session that was just opened or refreshed: the input of its tokens.
struct OpenedSession: Codable, Sendable {
    var account: Account
    var authentication: AuthenticationContext
    var refreshToken: String

    /// Recorded replies keep the member name that they were written with.
    private enum CodingKeys: String, CodingKey {
        case account, refreshToken
        case authentication = "facts"
    }
}

/// A sign-in that was started in a browser, in a cookie of this browser until the provider responds (security rule
/// FE1). Each sign-in has its own cookie, so that two tabs do not disturb each other.
struct StartedSignIn: Codable, Equatable, Sendable {
    /// Browsers store no longer cookies.
    static let maximumCookieBytes = 4000
    /// The limit of all sign-ins of a browser: together with other fields they must fit into a request.
    static let maximumTotalBytes = 9000

    /// The parameter `state` of the response.
    var state: String
    /// The session of `Federation.StartSignIn`; empty for a native application.
    var sessionID: String
    var apiKey: String
    var tenantID: String?
    var language: String
    /// Nil for the hosted sign-in.
    var channel: ReturnChannel?
    /// The parameters of the hosted sign-in.
    var hostedQuery: String?
    /// The account that is to be linked on the account page.
    var linkedAccountID: String?
}

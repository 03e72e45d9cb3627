public import Foundation

/// A sign-in on the pages of the server, for a registered application: see ``Auth/signIn(withHostedPage:uiDelegate:)``.
public struct HostedPage: Hashable, Sendable {
    /// What the page asks of a user who is signed in on the pages already.
    public enum Prompt: String, Hashable, Sendable {
        /// A new sign-in.
        case login
        /// Which of the accounts of the browser continues.
        case selectAccount = "select_account"
    }

    /// The client ID of the registration.
    public var clientID: String
    /// A redirect address of the registration: with a scheme of the application, such as `com.example.shop:/signed-in`;
    /// or for a tool on loopback, such as `http://127.0.0.1/signed-in`, without a port.
    public var redirectURL: URL
    /// An e-mail address with which the page begins.
    public var loginHint: String?
    /// Nil: a user who is signed in on the pages confirms the account.
    public var prompt: Prompt?
    /// How old the sign-in may be, in seconds.
    public var maximumAgeSeconds: Int?
    /// Which authentication is enough, such as `urn:latchkey:acr:2fa`; of several, the weakest.
    public var acrValues: [String] = []

    /// A page of an application.
    public init(clientID: String, redirectURL: URL, loginHint: String? = nil, prompt: Prompt? = nil) {
        self.clientID = clientID
        self.redirectURL = redirectURL
        self.loginHint = loginHint
        self.prompt = prompt
    }
}

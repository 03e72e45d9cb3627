import Contracts
import Vocabulary

/// The redirect from the browser to an application (REST 7.1): by its registered URL scheme.
struct AppRedirect: Equatable, Sendable {
    /// The identifiers that an application sends in the URL that it opens.
    struct RequestingApp: Equatable, Sendable {
        var bundleID: String?
        var clientID: String?
        var appID: String?
    }

    /// The error that a redirect returns. The names are those of the wire.
    enum Failure: String, Sendable {
        case invalidClient = "auth/invalid-oauth-client-id"
        case network = "auth/network-request-failed"
        case `internal` = "auth/internal-error"
        case checkFailed = "auth/captcha-check-failed"
        case tooManyRequests = "auth/too-many-requests"

        fileprivate var message: String {
            switch self {
            case .invalidClient: "The OAuth client ID or app ID is not that of this application."
            case .network: "The service is currently unavailable."
            case .internal: "Internal error encountered."
            case .checkFailed: "The check was not passed, or took too long."
            case .tooManyRequests: "Too many attempts. Try again later."
            }
        }
    }

    let scheme: String
    /// `authType` of the result: what the application has opened the browser for.
    var authType = "verifyApp"
    /// The page's host, as in the project's list of domains.
    let host: String
    let eventID: String

    /// The scheme of a registered application.
    /// - Returns: nil when the project has no such application: there is no redirect. `isRegisteredClient` is false for an
    ///   application that sends another client ID than its registered one; the redirect then uses the registered
    ///   scheme.
    static func scheme(
        for opener: RequestingApp, in configuration: ProjectConfiguration, isDev: Bool
    ) -> (text: String, isRegisteredClient: Bool)? {
        typealias App = ProjectConfiguration.MobileApp
        guard let bundleID = opener.bundleID, App.isBundleID(bundleID) else { return nil }
        var registered = configuration.iosApps.first { $0.bundleId == bundleID }
        if registered == nil, isDev, configuration.iosApps.isEmpty {
            // In dev mode any well-formed identifiers are accepted.
            registered = App()
            registered?.clientId = opener.clientID.flatMap { App.isClientID($0) ? $0 : nil }
            registered?.appId = opener.appID.flatMap { App.isAppID($0) ? $0 : nil }
        }
        guard let app = registered, let own = app.clientScheme ?? app.appScheme else { return nil }
        if let clientID = opener.clientID {
            return clientID == app.clientId ? (own, true) : (own, false)
        }
        if let appID = opener.appID, appID == app.appId, let scheme = app.appScheme { return (scheme, true) }
        return (own, false)
    }

    /// Libraries of native applications generate letters and digits.
    static func isEventID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-_".utf8.contains(byte)
            }
    }

    func url(token: Secret<String>) -> String { url(("recaptchaToken", token.reveal())) }

    /// - Parameter responseURL: the response of an identity provider.
    func url(responseURL: String) -> String { url(("link", responseURL)) }

    func url(_ failure: Failure) -> String { url(failureCode: failure.rawValue, message: failure.message) }

    func url(signInFailure failure: SignInFailure) -> String {
        url(failureCode: failure.rawValue, message: failure.message)
    }

    private func url(failureCode code: String, message: String) -> String {
        struct Body: Encodable {
            var code: String
            var message: String
        }
        return url(("firebaseError", EmbeddedJSON.json(Body(code: code, message: message))))
    }

    private func url(_ result: (name: String, value: String)) -> String {
        let query = PercentEncoding.query([("authType", authType), ("eventId", eventID), result])
        return "\(scheme)://firebaseauth/link?deep_link_id="
            + PercentEncoding.encoded("https://\(host)/__/auth/callback?\(query)")
    }
}

internal import Contracts
internal import Vocabulary

/// The way back from the browser into an application (REST 7.1): its own URL scheme, as it is registered.
struct AppRedirect: Equatable, Sendable {
    /// What an application says of itself in the address that it opens.
    struct RequestingApp: Equatable, Sendable {
        var bundleID: String?
        var clientID: String?
        var appID: String?
    }

    /// Why a browser comes back without what it was sent for. The names are those of the wire.
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
    /// Of the page, as the project's list of domains has it.
    let host: String
    let eventID: String

    /// The scheme of a registered application.
    /// - Returns: nil when the project has no such application: nobody is sent anywhere. `isRight` is false for one that
    ///   names another client than its own, which it is told by the scheme that is registered.
    static func scheme(
        for opener: RequestingApp, in configuration: ProjectConfiguration, isDev: Bool
    ) -> (text: String, isRight: Bool)? {
        typealias App = ProjectConfiguration.MobileApp
        guard let bundleID = opener.bundleID, App.isBundleID(bundleID) else { return nil }
        var registered = configuration.iosApps.first { $0.bundleId == bundleID }
        if registered == nil, isDev, configuration.iosApps.isEmpty {
            // A developer's machine takes what has the form.
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

    /// Client libraries draw letters and digits.
    static func isEventID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-_".utf8.contains(byte)
            }
    }

    func url(token: Secret<String>) -> String { url(("recaptchaToken", token.reveal())) }

    func url(_ failure: Failure) -> String {
        struct Body: Encodable {
            var code: String
            var message: String
        }
        let body = EmbeddedJSON.json(Body(code: failure.rawValue, message: failure.message))
        return url(("firebaseError", body))
    }

    private func url(_ result: (name: String, value: String)) -> String {
        let query = [("authType", "verifyApp"), ("eventId", eventID), result]
            .map { "\($0.0)=\(PercentEncoding.encoded($0.1))" }.joined(separator: "&")
        return "\(scheme)://firebaseauth/link?deep_link_id="
            + PercentEncoding.encoded("https://\(host)/__/auth/callback?\(query)")
    }
}

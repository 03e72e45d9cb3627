import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// How the page returns the result of a sign-in to the application.
enum ReturnChannel: Codable, Equatable, Sendable {
    /// The JavaScript library: an event to its frame, or in the storage of its session.
    case javaScript(authType: JavaScriptAuthType, eventID: String?, appName: String, redirectURL: String)
    /// A native application: a redirect to its URL scheme.
    case nativeApp(eventID: String, bundleID: String?, clientID: String?, appID: String?)
    /// A page of the application: a credential for `signInWithCredential`.
    case credential(mode: CredentialMode, redirectURL: String, appState: String)

    /// Where the user returns to; nil for a native application.
    var redirectURL: String? {
        switch self {
        case .javaScript(_, _, _, let url), .credential(_, let url, _): url
        case .nativeApp: nil
        }
    }
}

/// `authType` of the JavaScript library (REST 7.1).
enum JavaScriptAuthType: String, CaseIterable, Codable, Sendable {
    case signInViaPopup, linkViaPopup, reauthViaPopup
    case signInViaRedirect, linkViaRedirect, reauthViaRedirect

    var isPopup: Bool {
        switch self {
        case .signInViaPopup, .linkViaPopup, .reauthViaPopup: true
        case .signInViaRedirect, .linkViaRedirect, .reauthViaRedirect: false
        }
    }
}

/// How `/__/auth/signin` returns the credential.
enum CredentialMode: String, CaseIterable, Codable, Sendable { case popup, redirect }

/// The parameters with which an application opens a sign-in (REST 7.1). Their values are not yet checked against the
/// project.
struct SignInPageRequest: Equatable, Sendable {
    /// The value of `authType` of native applications.
    static let nativeAuthType = "signInWithRedirect"
    private static let maximumTextBytes = 256
    private static let maximumStateBytes = 512
    /// 128 characters of four bytes, the separator and the digits.
    private static let maximumEventIDBytes = 576
    private static let maximumRedirectURLBytes = WebURL.maximumBytes
    private static let maximumParametersBytes = 4096

    var apiKey: String
    var tenantID: String?
    var providerID: String
    /// Separated by commas or spaces.
    var scopes: String?
    /// `customParameters`.
    var parameters: [String: String]
    /// The SHA-256 of the session ID of a native application, in hexadecimal.
    var hashedSessionID: String?
    var channel: ReturnChannel

    /// The parameters of `/__/auth/handler`.
    /// - Returns: nil if one is missing or malformed.
    init?(handler item: (String) -> String?) {
        func text(_ name: String) -> String? { Self.text(item(name)) }
        guard let authType = text("authType") else { return nil }
        let eventID = item("eventId").nilIfEmpty
        if authType == Self.nativeAuthType {
            guard let eventID, AppRedirect.isEventID(eventID), let session = text("sessionId") else { return nil }
            self.init(
                item,
                .nativeApp(
                    eventID: eventID, bundleID: text("ibi"), clientID: text("clientId"), appID: text("appId")))
            hashedSessionID = session
        } else {
            guard let authType = JavaScriptAuthType(rawValue: authType), let appName = text("appName"),
                eventID.map(Self.isJavaScriptEventID) ?? true,
                let redirectURL = Self.redirectURL(item("redirectUrl")), eventID != nil || !authType.isPopup
            else { return nil }
            self.init(
                item,
                .javaScript(authType: authType, eventID: eventID, appName: appName, redirectURL: redirectURL))
        }
    }

    /// The parameters of `/__/auth/signin`.
    /// - Returns: nil if one is missing or malformed.
    init?(credential item: (String) -> String?) {
        guard let redirectURL = Self.redirectURL(item("redirectUrl")), !redirectURL.utf8.contains(UInt8(ascii: "#")),
            let state = Self.text(item("state"), within: Self.maximumStateBytes),
            let mode = CredentialMode(rawValue: item("mode").nilIfEmpty ?? CredentialMode.redirect.rawValue)
        else { return nil }
        self.init(item, .credential(mode: mode, redirectURL: redirectURL, appState: state))
    }

    private init?(_ item: (String) -> String?, _ channel: ReturnChannel) {
        guard let apiKey = Self.text(item("apiKey")), let providerID = Self.text(item("providerId")),
            let parameters = Self.parameters(item("customParameters"))
        else { return nil }
        self.apiKey = apiKey
        self.providerID = providerID
        self.parameters = parameters
        self.channel = channel
        tenantID = Self.text(item("tid"))
        scopes = item("scopes").nilIfEmpty
    }

    /// The JavaScript library generates digits, and puts `UID:::` before them where a user links or reauthenticates. An
    /// account ID is any text of up to 128 characters.
    private static func isJavaScriptEventID(_ text: String) -> Bool {
        text.utf8.count <= maximumEventIDBytes
            && !text.utf8.contains { $0 < 0x20 || $0 == 0x7f || "<>\"".utf8.contains($0) }
    }

    /// The cookie of a sign-in cannot return a text with NUL: the user would come back to no sign-in.
    private static func text(_ value: String?, within maximumBytes: Int = maximumTextBytes) -> String? {
        value.nilIfEmpty.flatMap { $0.utf8.count <= maximumBytes && !$0.utf8.contains(0) ? $0 : nil }
    }

    private static func redirectURL(_ value: String?) -> String? { text(value, within: maximumRedirectURLBytes) }

    /// A JSON object of texts; other values are ignored, as in the JavaScript library.
    private static func parameters(_ value: String?) -> [String: String]? {
        guard let value = value.nilIfEmpty else { return [:] }
        // `try?`: the result is nil.
        guard value.utf8.count <= maximumParametersBytes,
            let members = try? WireJSON.decode([String: JSONValue].self, from: Data(value.utf8))
        else { return nil }
        return members.compactMapValues { value in
            guard case .string(let text) = value else { return nil }
            return text
        }
    }
}

extension ProjectConfiguration {
    /// Where the page of a sign-in may send the user: a URL on an authorized domain (security rule FE10). Plain HTTP is
    /// allowed for this machine, and everywhere in dev mode, which authorizes this machine by any name.
    func authorizedRedirect(_ text: String, isDev: Bool) -> WebURL? {
        guard let url = WebURL(text), url.isSecure || url.isLoopback || isDev,
            authorizes(host: url.host) || isDev && url.isLoopback
        else { return nil }
        return url
    }
}

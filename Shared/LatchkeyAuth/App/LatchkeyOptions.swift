public import Foundation

/// Where an application finds its server, and as which application it presents itself.
public struct LatchkeyOptions: Hashable, Sendable {
    /// The API key of the project.
    public var apiKey: String
    /// The ID of the project. The library compares it with nothing; `IDTokenVerifier` of LatchkeyAdmin requires it.
    public var projectID: String?
    /// The registered ID of the application, such as `1:123:ios:0a1b`.
    public var appID: String?
    /// The bundle ID of the application, for app verification.
    public var bundleID: String?
    /// The OAuth client ID whose reversed form is a URL scheme of the application.
    public var clientID: String?
    /// The URL of the public listener of the server, of HTTPS or of this computer. `Auth.useServer(_:)` overrides it.
    public var serverURL: URL?

    /// Options that the application knows.
    public init(
        apiKey: String, projectID: String? = nil, appID: String? = nil, bundleID: String? = nil,
        clientID: String? = nil, serverURL: URL? = nil
    ) {
        self.apiKey = apiKey
        self.projectID = projectID
        self.appID = appID
        self.bundleID = bundleID
        self.clientID = clientID
        self.serverURL = serverURL
    }

    /// Reads a `GoogleService-Info.plist`, as `latchkey client-config ios` prints it.
    ///
    /// The key `SERVER_URL` holds the URL of the server.
    /// - Throws: `LatchkeyOptionsError`; an error of Foundation for a file that cannot be read.
    public init(contentsOf file: URL) throws {
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        guard let values = list as? [String: Any] else { throw LatchkeyOptionsError.notADictionary }
        let text = { (key: String) -> String? in (values[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
        guard let apiKey = text("API_KEY") else { throw LatchkeyOptionsError.missing("API_KEY") }
        let address = text("SERVER_URL")
        let serverURL = address.flatMap(URL.init(string:))
        if address != nil, serverURL.map({ ["http", "https"].contains($0.scheme) && $0.host != nil }) != true {
            throw LatchkeyOptionsError.malformed("SERVER_URL")
        }
        self.init(
            apiKey: apiKey, projectID: text("PROJECT_ID"), appID: text("GOOGLE_APP_ID"), bundleID: text("BUNDLE_ID"),
            clientID: text("CLIENT_ID"), serverURL: serverURL)
    }
}

/// Why a property list holds no options.
public enum LatchkeyOptionsError: Error, Equatable, Sendable {
    case notADictionary
    /// With the key.
    case missing(String)
    /// With the key.
    case malformed(String)
}

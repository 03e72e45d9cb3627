package import Contracts
import Crypto
package import JSON
import Vocabulary

/// What an application needs to reach a project.
package struct ClientConfiguration: Sendable, Equatable {
    package var project: String
    package var projectNumber: String
    package var apiKey: String
    /// Without a trailing slash.
    package var publicURL: String

    package init(project: String, projectNumber: String, apiKey: String, publicURL: String) {
        self.project = project
        self.projectNumber = projectNumber
        self.apiKey = apiKey
        self.publicURL = publicURL
    }

    /// Scheme and host of `publicURL`, without the scheme.
    var host: String {
        for scheme in ["https://", "http://"] where publicURL.hasPrefix(scheme) {
            return String(publicURL.dropFirst(scheme.count))
        }
        return publicURL
    }
}

/// An application of one platform.
package struct ClientApplication: Sendable, Equatable {
    package enum Platform: String, Sendable { case ios, android }

    package var platform: Platform
    /// The bundle ID or the package name.
    package var identifier: String
    /// `1:<number>:<platform>:<hexadecimal>`.
    package var appID: String
    /// The OAuth client ID of an iOS application, whose reversed form is its URL scheme. Nil for one that the project
    /// has registered without: its scheme comes from the app ID.
    package var clientID: String?

    /// - Parameter appID: nil: a stable one, derived from the identifier.
    package init(
        _ platform: Platform, _ identifier: String, projectNumber: String, appID: String? = nil,
        clientID: String? = nil
    ) {
        self.clientID = clientID
        self.platform = platform
        self.identifier = identifier
        let digest = Self.digest(of: identifier)
        self.appID = appID ?? "1:\(projectNumber):\(platform.rawValue):\(digest)"
    }

    /// An iOS application.
    /// - Parameter registered: what the project knows about it. Without it, the IDs are stable ones that are derived
    ///   from the bundle ID.
    package static func ios(
        _ bundleID: String, projectNumber: String, registered: ProjectConfiguration.MobileApp?, appID: String? = nil,
        clientID: String? = nil
    ) -> ClientApplication {
        let derived = registered == nil ? "\(projectNumber)-\(digest(of: bundleID)).apps.latchkey" : nil
        return ClientApplication(
            .ios, bundleID, projectNumber: projectNumber, appID: appID ?? registered?.appId,
            clientID: clientID ?? registered?.clientId ?? derived)
    }

    private static func digest(of identifier: String) -> String {
        SHA2.sha256(Array(identifier.utf8)).prefix(11)
            .map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Whether a text can be a bundle ID or a package name: 2 or more labels of letters, digits, `-` and `_`.
    package static func isIdentifier(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 155 && labels.count >= 2
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
            }
    }

    /// Whether a text can be the app ID of the platform.
    package static func isAppID(_ text: String, _ platform: Platform) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard text.utf8.count <= 128, parts.count == 4, !parts.contains(where: \.isEmpty),
            parts.prefix(2).allSatisfy({ $0.allSatisfy(isDigit) }), let fingerprint = parts.last
        else { return false }
        return parts.dropFirst(2).first?.elementsEqual(platform.rawValue.utf8) == true
            && fingerprint.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
    }
}

// MARK: - Files

extension ClientConfiguration {
    /// The configuration of a web application.
    /// - Throws: `EncodingError`.
    package func webSnippet() throws -> String {
        """
        import { initializeApp } from "firebase/app";
        import { getAuth, connectAuthEmulator } from "firebase/auth";

        const app = initializeApp({
          apiKey: \(try Self.literal(apiKey)),
          authDomain: \(try Self.literal(host)),
          projectId: \(try Self.literal(project)),
        });
        const auth = getAuth(app);
        // The library sends its requests to this installation.
        connectAuthEmulator(auth, \(try Self.literal(publicURL)), { disableWarnings: true });
        auth.settings.appVerificationDisabledForTesting = false;
        """
    }

    /// `GoogleService-Info.plist` of an iOS application. Only LatchkeyAuth reads `SERVER_URL`.
    package func propertyList(of application: ClientApplication) -> String {
        let texts: [(key: String, value: String)] = [
            ("API_KEY", apiKey), ("BUNDLE_ID", application.identifier), ("GCM_SENDER_ID", projectNumber),
            ("GOOGLE_APP_ID", application.appID), ("SERVER_URL", publicURL), ("PLIST_VERSION", "1"),
            ("PROJECT_ID", project), ("STORAGE_BUCKET", "\(project).appspot.com"),
        ]
        var app = ProjectConfiguration.MobileApp()
        app.clientId = application.clientID
        let client = [("CLIENT_ID", app.clientId), ("REVERSED_CLIENT_ID", app.clientScheme)].compactMap { key, value in
            value.map { (key: key, value: $0) }
        }
        let flags: [(key: String, value: Bool)] = [
            ("IS_ADS_ENABLED", false), ("IS_ANALYTICS_ENABLED", false), ("IS_APPINVITE_ENABLED", false),
            ("IS_GCM_ENABLED", false), ("IS_SIGNIN_ENABLED", true),
        ]
        let lines =
            (texts + client).map { "\t<key>\($0.key)</key>\n\t<string>\($0.value.markupEscaped)</string>" }
            + flags.map { "\t<key>\($0.key)</key>\n\t<\($0.value)/>" }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \(lines.joined(separator: "\n"))
            </dict>
            </plist>
            """
    }

    /// `google-services.json` of an Android application.
    package func services(of application: ClientApplication) -> JSONValue {
        let client: [String: JSONValue] = [
            "client_info": .object([
                "mobilesdk_app_id": .string(application.appID),
                "android_client_info": .object(["package_name": .string(application.identifier)]),
            ]),
            "oauth_client": .array([]),
            "api_key": .array([.object(["current_key": .string(apiKey)])]),
            "services": .object(["appinvite_service": .object(["other_platform_oauth_client": .array([])])]),
        ]
        return .object([
            "project_info": .object([
                "project_number": .string(projectNumber), "project_id": .string(project),
                "storage_bucket": .string("\(project).appspot.com"),
            ]),
            "client": .array([.object(client)]),
            "configuration_version": .string("1"),
        ])
    }

    /// A string literal of JavaScript that can also be inside a script element.
    private static func literal(_ text: String) throws -> String {
        let json = try WireJSON.text(text)
        return json.unicodeScalars.map { $0 == "<" ? "\\u003c" : String($0) }.joined()
    }
}

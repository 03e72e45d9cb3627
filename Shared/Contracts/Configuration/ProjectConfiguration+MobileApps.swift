import Vocabulary

// The registered applications of a project, and the hosts of its web pages. App verification uses both.

extension ProjectConfiguration {
    /// A mobile application. The console of Google Identity Platform stores these values; its administration interface
    /// does not expose them.
    package struct MobileApp: DocumentMessage {
        package enum Platform: String, DocumentEnumeration {
            case ios = "IOS"
            package static let unset = "PLATFORM_UNSPECIFIED"
        }
        /// Absent: iOS.
        package var platform: Platform?
        /// The bundle ID, such as `org.example.app`: the topic of its pushes.
        package var bundleId: String?
        /// `1:<number>:ios:<hexadecimal>`.
        package var appId: String?
        /// The OAuth client ID, such as `5501-abc.apps.googleusercontent.com`.
        package var clientId: String?

        package init() {}
    }

    package var iosApps: [MobileApp] {
        (mobileApps ?? []).filter { app in
            switch app.platform {
            case .ios, nil: true
            }
        }
    }

    /// Whether an application is registered in the project. In dev mode a project without applications accepts all.
    package func registersIOSApp(_ bundleID: String, isDev: Bool) -> Bool {
        isDev && iosApps.isEmpty || iosApps.contains { $0.bundleId == bundleID }
    }

    /// Whether links and redirects may lead to this host, and whether hosted pages may be on it.
    /// - Parameter host: in lower case, without port.
    package func authorizes(host: String) -> Bool {
        WebURL.isHostName(host) && (authorizedDomains ?? []).contains { $0.asciiLowercased == host }
    }
}

extension ProjectConfiguration.MobileApp {
    /// The URL scheme that opens this application on iOS: its client ID with the labels reversed. Nil without one.
    package var clientScheme: String? {
        clientId.map { $0.pieces(at: ".").reversed().joined(separator: ".") }
    }

    /// The URL scheme from its app ID: `app-1-204801-ios-77aa`.
    package var appScheme: String? {
        appId.map { "app-" + $0.map { $0 == ":" ? "-" : String($0) }.joined() }
    }

    /// 1 to 155 letters, digits, hyphens and dots.
    package static func isBundleID(_ text: String) -> Bool {
        (1...155).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
    }

    /// `1:<number>:ios:<hexadecimal>`.
    package static func isAppID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        return text.utf8.count <= 128 && parts.count == 4 && !parts.contains { $0.isEmpty }
            && parts.prefix(2).allSatisfy { $0.allSatisfy(isDigit) }
            && parts.dropFirst(2).first?.elementsEqual("ios".utf8) == true
            && parts.last?.allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) } == true
    }

    /// At least two labels of letters, digits and hyphens, separated by dots. The last begins with a letter, because it
    /// begins the scheme of the reversed ID (RFC 3986 §3.1); the dot distinguishes the scheme from `javascript` and
    /// similar.
    package static func isClientID(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 255, labels.count >= 2, let first = labels.last?.first else { return false }
        return (0x61...0x7a).contains(first | 0x20) && !labels.contains { $0.isEmpty }
            && text.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-.".utf8.contains(byte)
    }
}

extension ProjectConfiguration.Recaptcha {
    /// The bare key of a platform: some administrators set the complete resource name.
    package func key(for platform: Platform) -> String? {
        let entry = recaptchaKeys?.first { ($0.type ?? .web) == platform }
        return (entry?.key?.pieces(at: "/").last { !$0.isEmpty }).map { String($0) }
    }

    /// The reCAPTCHA enforcement of phone sign-in on a platform. Without a key for the platform, its clients cannot
    /// comply with enforcement, so it is off.
    package func phoneEnforcement(on platform: Platform) -> Enforcement {
        key(for: platform) == nil ? .off : phoneEnforcementState ?? .off
    }
}

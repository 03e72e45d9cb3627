package import Bus
import HTTPClient
import ServiceRuntime
import Settings
import Vocabulary

/// The environment settings of the APNs transport.
package struct APNsSettings: Equatable, Sendable {
    /// How the notifier authenticates to APNs.
    package enum Authentication: Equatable, Sendable {
        case key(file: String, keyID: String, teamID: String)
        /// A certificate and its private key in one PEM file.
        case certificate(file: String)
    }

    /// Of pushes of applications without a key of their own; nil: there are none, or they go to the dev inbox.
    package var authentication: Authentication?
    /// Replaces Apple's hosts.
    package var baseURL: String?
    package var topic: String?
    package var caFilePath: String?
    package var connections: Int
    package var timeout: Duration

    static func read(from reader: inout SettingsReader) -> APNsSettings {
        let isAuthenticated = settingsOfInstallation.contains { reader.optionalString($0) != nil }
        return APNsSettings(
            authentication: isAuthenticated ? authentication(from: &reader) : nil,
            baseURL: reader.value(
                .apnsBaseURL, default: .some(nil), placeholder: nil, expects: "an https URL",
                example: "https://api.push.apple.com", isSecret: true, parse: webAddress),
            topic: reader.value(
                .apnsTopic, default: .some(nil), placeholder: nil, expects: "a bundle id",
                example: "com.example.app", parse: { BundleID.isValid($0) ? .some($0) : nil }),
            caFilePath: reader.optionalString(.apnsCAFile),
            connections: reader.integer(.apnsConnections, default: 4),
            timeout: reader.duration(.apnsTimeout, default: .seconds(10)))
    }

    private static func authentication(from reader: inout SettingsReader) -> Authentication {
        if let file = reader.optionalString(.apnsCertFile) {
            for setting in [Setting.apnsKeyFile, .apnsKeyID, .apnsTeamID]
            where reader.optionalString(setting) != nil {
                reader.addIssue(
                    setting, "is set, and LATCHKEY_APNS_CERT_FILE too",
                    remedy: "Set what belongs to the key or the certificate, not both")
            }
            return .certificate(file: file)
        }
        let file = reader.string(.apnsKeyFile, example: "/etc/latchkey/AuthKey_ABC123DEFG.p8")
        let isIdentifier: (String) -> String? = { text in
            let isPlain = text.utf8.allSatisfy { $0.isASCIINameByte || $0 == UInt8(ascii: "_") }
            return isPlain && (1...64).contains(text.utf8.count) ? text : nil
        }
        let keyID = reader.value(
            .apnsKeyID, default: nil, placeholder: "", expects: "the key's id of letters and digits",
            example: "ABC123DEFG", parse: isIdentifier)
        let teamID = reader.value(
            .apnsTeamID, default: nil, placeholder: "", expects: "the team's id of letters and digits",
            example: "DEF123GHIJ", parse: isIdentifier)
        return .key(file: file, keyID: keyID, teamID: teamID)
    }

    /// Without its trailing slash.
    private static func webAddress(_ text: String) -> String?? {
        let rest = text.hasPrefix("https://") ? text.dropFirst(8) : ""
        guard !rest.isEmpty, !rest.hasPrefix("/"),
            rest.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>?#@\\".utf8.contains($0) })
        else { return nil }
        return .some(text.hasSuffix("/") ? String(text.dropLast()) : text)
    }

    /// The installation has a key or certificate if any of them is set.
    private static let settingsOfInstallation: [Setting] = [
        .apnsKeyFile, .apnsKeyID, .apnsTeamID, .apnsTopic, .apnsCertFile,
    ]

    /// - Parameter connections: at most, to one server.
    fileprivate func client(connections: Int, certificate: String? = nil) -> HTTPClient {
        var limits = HTTPClient.Limits()
        limits.threads = connections
        limits.maximumWaiting = self.connections
        limits.totalTime = timeout
        limits.connectTime = min(limits.connectTime, timeout)
        limits.bodyBytes = 16 << 10
        return HTTPClient(limits, caFilePath: caFilePath, certificate: certificate)
    }
}

extension APNsTransport {
    /// The transport of pushes of applications without a key of their own. Reads the key; connections are opened on
    /// demand.
    /// - Throws: `SecretFileError`, `APNsKeyError`.
    package init?(_ settings: APNsSettings, on machine: any BusMachine) throws {
        let key: APNsSigningKey?
        let certificate: String?
        switch settings.authentication {
        case nil: return nil
        case .key(let file, let keyID, let teamID):
            let pem = try SecretFile.read(file, setting: Setting.apnsKeyFile.name)
            do {
                key = try APNsSigningKey(pem: pem.reveal(), keyID: keyID, teamID: teamID)
            } catch {
                throw APNsKeyError(path: file)
            }
            certificate = nil
        case .certificate(let file):
            // Each connection reads it again; this checks the file permissions at startup.
            _ = try SecretFile.read(file, setting: Setting.apnsCertFile.name)
            (key, certificate) = (nil, file)
        }
        let client = settings.client(connections: settings.connections, certificate: certificate)
        self.init(
            baseURL: settings.baseURL, topic: settings.topic, key: key, now: machine.wallClock,
            instant: machine.steadyClock, send: client.send)
    }
}

extension APNsKeyTransports {
    /// The connections of one key. Connections wait idle, so that there are few of them for each of many keys.
    private static let maximumConnections = 2

    convenience init(_ settings: APNsSettings, on machine: any BusMachine) {
        self.init { key, topic in
            let client = settings.client(connections: min(Self.maximumConnections, settings.connections))
            return APNsTransport(
                baseURL: settings.baseURL, topic: topic, key: key, isOfProject: true, now: machine.wallClock,
                instant: machine.steadyClock, send: client.send)
        }
    }
}

/// The file exists but does not contain a valid key.
struct APNsKeyError: ExitError, Equatable {
    var path: String

    var exitCode: Int32 { ExitCode.settings }
    var messages: [String] {
        ["\(path) holds no P-256 key. Let LATCHKEY_APNS_KEY_FILE name the AuthKey_….p8 that Apple gave you."]
    }
}

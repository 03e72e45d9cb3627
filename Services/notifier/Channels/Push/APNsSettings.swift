import HTTPClient
package import ServiceRuntime
package import Vocabulary

/// How the notifier reaches APNs, as its environment says.
package struct APNsSettings: Equatable, Sendable {
    /// Who we are to APNs.
    package enum Authentication: Equatable, Sendable {
        case key(file: String, keyID: String, teamID: String)
        /// A certificate and its private key in one PEM file.
        case certificate(file: String)
    }

    package var authentication: Authentication
    /// In place of Apple's hosts.
    package var baseURL: String?
    package var topic: String?
    package var authorities: String?
    package var connections: Int
    package var timeout: Duration

    /// - Returns: nil where nothing is said of APNs.
    static func read(_ environment: Environment, from reader: inout SettingsReader) -> APNsSettings? {
        guard names.contains(where: { environment[$0] != nil }) else { return nil }
        return APNsSettings(
            authentication: authentication(environment, from: &reader),
            baseURL: reader.value(
                "LATCHKEY_APNS_BASE_URL", default: .some(nil), standIn: nil, expects: "an https URL",
                example: "https://api.push.apple.com", isSecret: true, parse: webAddress),
            topic: reader.value(
                "LATCHKEY_APNS_TOPIC", default: .some(nil), standIn: nil, expects: "a bundle id",
                example: "com.example.app", parse: { BundleID.isValid($0) ? .some($0) : nil }),
            authorities: reader.optionalString("LATCHKEY_APNS_CA_FILE"),
            connections: reader.integer("LATCHKEY_APNS_CONNECTIONS", default: 4, in: 1...64),
            timeout: reader.duration("LATCHKEY_APNS_TIMEOUT", default: .seconds(10), atMost: .seconds(60)))
    }

    private static func authentication(
        _ environment: Environment, from reader: inout SettingsReader
    ) -> Authentication {
        if let file = environment["LATCHKEY_APNS_CERT_FILE"] {
            for name in ["LATCHKEY_APNS_KEY_FILE", "LATCHKEY_APNS_KEY_ID", "LATCHKEY_APNS_TEAM_ID"]
            where environment[name] != nil {
                reader.fault(
                    name, "is set, and LATCHKEY_APNS_CERT_FILE too",
                    remedy: "Set what belongs to the key or the certificate, not both")
            }
            return .certificate(file: file)
        }
        let file = reader.string("LATCHKEY_APNS_KEY_FILE", example: "/etc/latchkey/AuthKey_ABC123DEFG.p8")
        let isIdentifier: (String) -> String? = { text in
            let isPlain = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            return isPlain && (1...64).contains(text.utf8.count) ? text : nil
        }
        let keyID = reader.value(
            "LATCHKEY_APNS_KEY_ID", default: nil, standIn: "", expects: "the key's id of letters and digits",
            example: "ABC123DEFG", parse: isIdentifier)
        let teamID = reader.value(
            "LATCHKEY_APNS_TEAM_ID", default: nil, standIn: "", expects: "the team's id of letters and digits",
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

    private static let names = ["BASE_URL", "KEY_FILE", "KEY_ID", "TEAM_ID", "TOPIC", "CA_FILE", "CERT_FILE"].map {
        "LATCHKEY_APNS_" + $0
    }

    package static let help = [
        Program.Setting(
            "LATCHKEY_APNS_KEY_FILE", "push: key of the developer team, AuthKey_….p8, readable by its owner"),
        Program.Setting("", "alone (without one: no push, in dev /dev/inbox)"),
        Program.Setting("LATCHKEY_APNS_KEY_ID", "id of that key"),
        Program.Setting("LATCHKEY_APNS_TEAM_ID", "id of the team"),
        Program.Setting("LATCHKEY_APNS_CERT_FILE", "instead of the key: certificate and private key, PEM"),
        Program.Setting("LATCHKEY_APNS_TOPIC", "bundle id of all pushes (the one that the request names)"),
        Program.Setting("LATCHKEY_APNS_BASE_URL", "instead of Apple's hosts"),
        Program.Setting("LATCHKEY_APNS_CA_FILE", "certificates to trust instead of the system's"),
        Program.Setting("LATCHKEY_APNS_CONNECTIONS", "pushes sent at a time, each over its own connection (4)"),
        Program.Setting("LATCHKEY_APNS_TIMEOUT", "until a push is answered (10s)"),
    ]
}

extension APNsTransport {
    /// Reads the key; connections are made when they are needed.
    /// - Throws: `SecretFileFault`, `APNsKeyFault`.
    package init(_ settings: APNsSettings, now: @escaping @Sendable () -> Moment) throws {
        var limits = HTTPClient.Limits()
        limits.threads = settings.connections
        limits.waiting = settings.connections
        limits.totalTime = settings.timeout
        limits.connectTime = min(limits.connectTime, settings.timeout)
        limits.bodyBytes = 16 << 10
        let key: APNsKey?
        let certificate: String?
        switch settings.authentication {
        case .key(let file, let keyID, let teamID):
            let pem = try SecretFile.read(file, setting: "LATCHKEY_APNS_KEY_FILE")
            do {
                key = try APNsKey(pem: pem.reveal(), keyID: keyID, teamID: teamID)
            } catch {
                throw APNsKeyFault(path: file)
            }
            certificate = nil
        case .certificate(let file):
            // Read again for each connection; here for whether it may be.
            _ = try SecretFile.read(file, setting: "LATCHKEY_APNS_CERT_FILE")
            (key, certificate) = (nil, file)
        }
        let client = HTTPClient(limits, authorities: settings.authorities, certificate: certificate)
        self.init(baseURL: settings.baseURL, topic: settings.topic, key: key, now: now, send: client.send)
    }
}

/// The file is there and holds something else.
struct APNsKeyFault: ProgramFailure, Equatable {
    var path: String

    var exitCode: Int32 { ExitCode.settings }
    var sentences: [String] {
        ["\(path) holds no P-256 key. Let LATCHKEY_APNS_KEY_FILE name the AuthKey_….p8 that Apple gave you."]
    }
}

import Contracts
package import Crypto
import FoundationEssentials
package import MasterKey
package import ServiceRuntime
import Settings
package import Storage
import Vocabulary

/// The settings of federation.
package struct FederationSettings: Sendable {
    package var process: ProcessSettings
    package var storage: StorageSettings
    package var masterKey: MasterKeySource
    package var outgoing: OutgoingPolicy
    /// `LATCHKEY_EMULATOR_TOKENS`: unsigned ID tokens of providers without configuration.
    package var acceptsUnsignedTokens: Bool
    package var gameCenterAnchors: TrustAnchors

    /// - Throws: one error with every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.federation))
        process = ProcessSettings(.federation, from: &reader)
        storage = StorageSettings(.federation, from: &reader, dataDirectory: process.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: process.dataDirectory)
        outgoing = Self.outgoing(isDev: process.isDev, from: &reader)
        acceptsUnsignedTokens = reader.boolean(.emulatorTokens)
        if acceptsUnsignedTokens, !process.isDev {
            reader.addIssue(
                .emulatorTokens, "is allowed in dev mode only: unsigned tokens are insecure", remedy: "Remove it")
        }
        gameCenterAnchors = Self.gameCenterAnchors(from: &reader)
        try reader.finish()
    }

    /// The certificates of the operating system, unless the operator names others. Without any, Game Center is not
    /// available.
    private static func gameCenterAnchors(from reader: inout SettingsReader) -> TrustAnchors {
        reader.value(
            .gameCenterTrustAnchorsFile, default: anchors(inFile: systemAnchorsFile) ?? TrustAnchors([]),
            placeholder: TrustAnchors([]), expects: "the path of a file with certificates in PEM form",
            example: systemAnchorsFile, parse: anchors)
    }

    private static let systemAnchorsFile = "/etc/ssl/certs/ca-certificates.crt"

    private static func anchors(inFile path: String) -> TrustAnchors? {
        // `try?`: the error message names the file.
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let text = String(validating: data, as: UTF8.self),
            let certificates = try? Certificate.all(inPEM: text)
        else { return nil }
        return TrustAnchors(certificates)
    }

    private static func outgoing(isDev: Bool, from reader: inout SettingsReader) -> OutgoingPolicy {
        let hosts = reader.hostNames(.federationPrivateHosts, example: "sso.internal.example.com")
        let endpoints = reader.value(
            .devEndpoints, default: .some(.none), placeholder: .none,
            expects: "a JSON object of host names and base URLs",
            example: #"{"graph.facebook.com":"http://127.0.0.1:9197/graph"}"#, parse: DevEndpoints.init)
        if !isDev, reader.optionalString(.devEndpoints) != nil {
            reader.addIssue(.devEndpoints, "is allowed in dev mode only", remedy: "Remove it")
        }
        return OutgoingPolicy(
            isDev: isDev, privateHosts: hosts, endpoints: endpoints)
    }
}

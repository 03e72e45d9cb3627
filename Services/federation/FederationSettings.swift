import Contracts
package import DatabaseService
package import ServiceRuntime
import Settings
import Vocabulary

/// The settings of federation.
package struct FederationSettings: Sendable {
    package var common: DatabaseServiceSettings
    package var outgoing: OutgoingPolicy
    /// `LATCHKEY_EMULATOR_TOKENS`: unsigned ID tokens of providers without configuration.
    package var acceptsUnsignedTokens: Bool
    package var gameCenterAnchors: GameCenterAnchors

    /// - Throws: one error with every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.federation))
        common = DatabaseServiceSettings(.federation, from: &reader)
        outgoing = Self.outgoing(isDev: common.process.isDev, from: &reader)
        acceptsUnsignedTokens = reader.boolean(.emulatorTokens)
        if acceptsUnsignedTokens, !common.process.isDev {
            reader.addIssue(
                .emulatorTokens, "is allowed in dev mode only: unsigned tokens are insecure", remedy: "Remove it")
        }
        gameCenterAnchors = Self.gameCenterAnchors(from: &reader)
        try reader.finish()
    }

    /// The certificates of the operating system, unless the operator names others.
    private static func gameCenterAnchors(from reader: inout SettingsReader) -> GameCenterAnchors {
        reader.value(
            .gameCenterTrustAnchorsFile, default: .system, placeholder: .system,
            expects: "the path of a file with certificates in PEM form", example: GameCenterAnchors.systemFile
        ) { GameCenterAnchors.anchors(inFile: $0).map(GameCenterAnchors.chosen) }
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

import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import FederationService

@Suite struct FederationSettingsTests {
    private func settings(_ variables: [String: String]) throws -> FederationSettings {
        try FederationSettings(
            Environment(
                ["LATCHKEY_DATA": "/tmp/data", "LATCHKEY_BROKERS": "ipc:///tmp/broker.sock"].merging(variables) { $1 }))
    }

    @Test func privateHostsAreRead() throws {
        let outgoing = try settings(["LATCHKEY_FEDERATION_PRIVATE_HOSTS": "SSO.example.com, b"]).outgoing
        #expect(outgoing == OutgoingPolicy(isDev: false, privateHosts: ["sso.example.com", "b"]))
        #expect(try settings([:]).outgoing == OutgoingPolicy(isDev: false))
        #expect(throws: SettingsError.self) {
            try settings(["LATCHKEY_FEDERATION_PRIVATE_HOSTS": "https://sso.example.com"])
        }
    }

    @Test func gameCenterFileMustContainCertificates() throws {
        _ = try settings([:])
        let directory = try TemporaryDirectory()
        let file = directory.path + "/anchors.pem"
        for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"] {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(throws: SettingsError.self) { try settings(["LATCHKEY_GAME_CENTER_TRUST_ANCHORS_FILE": file]) }
        }
        #expect(throws: SettingsError.self) {
            try settings(["LATCHKEY_GAME_CENTER_TRUST_ANCHORS_FILE": file + ".missing"])
        }
        let authority = try CertificateAuthority(commonName: "root")
        try authority.certificate.pem.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try settings(["LATCHKEY_GAME_CENTER_TRUST_ANCHORS_FILE": file])
    }

    @Test func devEndpointsAreForDevModeOnly() throws {
        let text = #"{"a.example":"http://127.0.0.1:1/a"}"#
        #expect(throws: SettingsError.self) { try settings(["LATCHKEY_DEV_ENDPOINTS": text]) }
        #expect(throws: SettingsError.self) { try settings(["LATCHKEY_DEV_ENDPOINTS": "x", "LATCHKEY_DEV": "1"]) }
        let outgoing = try settings(["LATCHKEY_DEV_ENDPOINTS": text, "LATCHKEY_DEV": "1"]).outgoing
        #expect(outgoing.endpoints == DevEndpoints(text))
        #expect(outgoing.isDev)
    }

    @Test func unsignedTokensAreForDevModeOnly() throws {
        #expect(try settings(["LATCHKEY_EMULATOR_TOKENS": "1", "LATCHKEY_DEV": "1"]).acceptsUnsignedTokens)
        #expect(try !settings(["LATCHKEY_DEV": "1"]).acceptsUnsignedTokens)
        #expect(throws: SettingsError.self) { try settings(["LATCHKEY_EMULATOR_TOKENS": "1"]) }
    }
}

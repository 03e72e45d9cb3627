import DatabaseService
import ServiceRuntime
import Storage
import Testing
import Vocabulary

@testable import PasskeyService

@Suite struct PasskeySettingsTests {
    private static func settings(_ variables: [String: String]) throws -> PasskeySettings {
        let base = ["LATCHKEY_BROKERS": "ipc:///run/b.sock", "LATCHKEY_DATA": "/data", "LATCHKEY_PROJECT": "p"]
        return try PasskeySettings(
            Environment(base.merging(variables) { $1 }), at: Moment(milliseconds: 1_700_000_000_000))
    }

    @Test func productionHasNoRelyingPartyByDefault() throws {
        let settings = try Self.settings([:])
        #expect(settings.relyingParty == .init(id: nil, isDev: false))
        #expect(settings.common.storage.location == .sqlite(path: "/data/passkey.sqlite"))
    }

    @Test func devModeUsesLocalhost() throws {
        let settings = try Self.settings(["LATCHKEY_DEV": "1"])
        #expect(settings.relyingParty == .init(id: RelyingPartyID("localhost"), isDev: true))
    }

    /// What is the default of dev mode may be written there, and only there.
    @Test func localhostIsARelyingPartyOfDevMode() throws {
        let settings = try Self.settings(["LATCHKEY_DEV": "1", "LATCHKEY_PASSKEY_RP_ID": "localhost"])
        #expect(settings.relyingParty == .init(id: RelyingPartyID("localhost"), isDev: true))
        #expect(throws: SettingsError.self) { try Self.settings(["LATCHKEY_PASSKEY_RP_ID": "localhost"]) }
        #expect(throws: SettingsError.self) {
            try Self.settings(["LATCHKEY_DEV": "1", "LATCHKEY_PASSKEY_RP_ID": "com"])
        }
    }

    @Test func relyingPartyIsRead() throws {
        let settings = try Self.settings([
            "LATCHKEY_PASSKEY_RP_ID": "example.co.uk",
            "LATCHKEY_PASSKEY_ORIGINS": "https://example.co.uk, https://login.example.co.uk:8443",
        ])
        #expect(
            settings.relyingParty
                == .init(
                    id: RelyingPartyID("example.co.uk"),
                    origins: ["https://example.co.uk", "https://login.example.co.uk:8443"], isDev: false))
    }

    @Test(arguments: [
        "com", "co.uk", "github.io", "https://example.com", "example.com:443", "example.com.", "Example.com",
        "192.0.2.1", "[::1]", "example..com", "-a.example", "a b.example", "exämple.com", "example.com/",
    ])
    func invalidRelyingPartyIDIsRefused(text: String) throws {
        let error = #expect(throws: SettingsError.self) { try Self.settings(["LATCHKEY_PASSKEY_RP_ID": text]) }
        #expect(error?.issues.map(\.setting) == ["LATCHKEY_PASSKEY_RP_ID"])
    }

    @Test(arguments: [
        "example.com", "http://example.com", "https://example.com/", "https://example.com:443", "https://Example.com",
        "https://*.example.com", "http://localhost:3000", "null", "android:apk-key-hash:abc", "https://a.example,,",
    ])
    func invalidOriginIsRefused(text: String) throws {
        let error = #expect(throws: SettingsError.self) {
            try Self.settings(["LATCHKEY_PASSKEY_RP_ID": "example.com", "LATCHKEY_PASSKEY_ORIGINS": text])
        }
        #expect(error?.issues.map(\.setting) == ["LATCHKEY_PASSKEY_ORIGINS"])
    }

    @Test func eachInvalidSettingIsReportedOnce() throws {
        let error = #expect(throws: SettingsError.self) {
            try Self.settings([
                "LATCHKEY_PASSKEY_RP_ID": "com", "LATCHKEY_PASSKEY_ORIGINS": "https://a.example,http://b.example,x",
            ])
        }
        #expect(
            error?.issues.map(\.setting)
                == ["LATCHKEY_PASSKEY_RP_ID", "LATCHKEY_PASSKEY_ORIGINS", "LATCHKEY_PASSKEY_ORIGINS"])
    }

    @Test func originsNeedRelyingPartyID() throws {
        let error = #expect(throws: SettingsError.self) {
            try Self.settings(["LATCHKEY_PASSKEY_ORIGINS": "https://example.com"])
        }
        #expect(error?.issues.map(\.setting) == ["LATCHKEY_PASSKEY_ORIGINS"])
    }
}

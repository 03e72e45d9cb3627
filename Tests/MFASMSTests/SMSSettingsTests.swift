import Contracts
import DatabaseService
import MasterKey
import ServiceRuntime
import Storage
import Testing

@testable import MFASMSService

struct SMSSettingsTests {
    private static let minimum = ["LATCHKEY_BROKERS": "ipc:///run/b.sock", "LATCHKEY_DATA": "/data"]

    private func settings(_ more: [String: String] = [:]) throws -> SMSSettings {
        try SMSSettings(Environment(Self.minimum.merging(more) { $1 }))
    }

    @Test func minimalSettingsAreSufficient() throws {
        let settings = try settings()
        #expect(settings.common.storage.location == .sqlite(path: "/data/mfa-sms.sqlite"))
        #expect(settings.common.masterKey.name == "/data/master.key")
        #expect(settings.originDomain == nil)
    }

    @Test func originDomainMustBeDomainName() throws {
        #expect(try settings(["LATCHKEY_SMS_ORIGIN_DOMAIN": "app.example.com"]).originDomain == "app.example.com")
        for text in ["localhost", "https://example.com", "a..b", "-a.example", "a b.example", "example.com:443"] {
            #expect(throws: SettingsError.self) { try settings(["LATCHKEY_SMS_ORIGIN_DOMAIN": text]) }
        }
    }
}

import Contracts
import ServiceRuntime
import Settings
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

@Suite struct SMSSettingsTests {
    private func settings(_ variables: [String: String], isDev: Bool = false) throws -> NotifierSettings {
        let base = [
            "LATCHKEY_BROKERS": "ipc:///x", "LATCHKEY_DATA": "/d", "LATCHKEY_DEV": isDev ? "1" : "0",
            "LATCHKEY_NOTIFIER_CHANNELS": "sms",
        ]
        return try NotifierSettings(Environment(base.merging(variables) { $1 }))
    }

    @Test(arguments: [true, false]) func catalogueDefaultsMatchNotifierDefaults(isDev: Bool) throws {
        let base = Self.twilio.merging([
            "LATCHKEY_INSTANCE": "n", "LATCHKEY_START_ID": "00112233445566aa",
            "LATCHKEY_SMTP_URL": "smtps://mail.example.com", "LATCHKEY_SMTP_FROM": "noreply@example.com",
            "LATCHKEY_APNS_CERT_FILE": "/c.pem", "LATCHKEY_NOTIFIER_CHANNELS": "",
        ]) { $1 }
        let defaults = SettingsCatalogue.defaults(of: .service(.notifier), isDev: isDev)
        #expect(defaults.count > 10)
        var implicit = try settings(base, isDev: isDev)
        var explicit = try settings(
            base.merging(defaults) { $1 }.merging(["LATCHKEY_DATA": "/d"]) { $1 }, isDev: isDev)
        #expect(implicit.channels == explicit.channels && implicit.channels == [.email, .sms, .push])
        // The order of a set is not deterministic.
        implicit.channels = []
        explicit.channels = []
        #expect(String(describing: implicit) == String(describing: explicit))
    }

    private func faults(_ variables: [String: String], isDev: Bool = false) -> [String] {
        do {
            _ = try settings(variables, isDev: isDev)
            return []
        } catch {
            return (error as? SettingsError)?.issues.map(\.setting) ?? ["\(error)"]
        }
    }

    private static let twilio = [
        "LATCHKEY_SMS_PROVIDER": "twilio", "LATCHKEY_TWILIO_ACCOUNT_SID": "AC1", "LATCHKEY_TWILIO_AUTH_TOKEN": "t",
        "LATCHKEY_TWILIO_FROM": "+15005550006",
    ]

    private func faults(beside name: String, _ value: String, isDev: Bool = false) -> [String] {
        faults(Self.twilio.merging([name: value]) { $1 }, isDev: isDev)
    }

    /// A process that sends only SMS needs no mail server.
    @Test func smsOnlyProcessRequiresNoOtherSettings() throws {
        let settings = try settings(Self.twilio)
        #expect(settings.channels == [.sms])
        guard case .notHandledHere = settings.email else {
            Issue.record("\(settings.email)")
            return
        }
        let sms = try #require(settings.sms)
        #expect(sms.providers.count == 1 && sms.whatsApp == nil)
        #expect(sms.connections == 8 && sms.callTimeout == .seconds(10))
        guard case .twilio(let twilio) = sms.providers[0] else {
            Issue.record("no Twilio")
            return
        }
        #expect(twilio.baseURL == "https://api.twilio.com" && twilio.accountSID == "AC1")
    }

    @Test func smsIsDisabledWithoutProvider() throws {
        #expect(try settings([:]).sms == nil)
        // No process reads these settings then.
        #expect(faults(["LATCHKEY_TWILIO_BASE_URL": "nonsense"]) == [])
    }

    @Test func everyMissingSettingIsNamed() {
        #expect(
            faults(["LATCHKEY_SMS_PROVIDER": "twilio,vonage,webhook"]) == [
                "LATCHKEY_TWILIO_ACCOUNT_SID", "LATCHKEY_TWILIO_AUTH_TOKEN", "LATCHKEY_TWILIO_FROM",
                "LATCHKEY_VONAGE_API_KEY", "LATCHKEY_VONAGE_API_SECRET", "LATCHKEY_VONAGE_FROM",
                "LATCHKEY_SMS_WEBHOOK_URL", "LATCHKEY_SMS_WEBHOOK_SECRET",
            ])
    }

    @Test(arguments: [
        ("LATCHKEY_SMS_PROVIDER", "carrier-pigeon"), ("LATCHKEY_SMS_PROVIDER", "twilio,twilio"),
        ("LATCHKEY_TWILIO_BASE_URL", "api.twilio.com"), ("LATCHKEY_TWILIO_BASE_URL", "http://api.twilio.com"),
        ("LATCHKEY_TWILIO_ACCOUNT_SID", "AC1/.."), ("LATCHKEY_SMS_CONNECTIONS", "0"),
        ("LATCHKEY_SMS_CONNECTIONS", "129"), ("LATCHKEY_SMS_TIMEOUT", "2m"), ("LATCHKEY_SMS_PRICES", "US"),
        ("LATCHKEY_SMS_CURRENCY", "usd"), ("LATCHKEY_SMS_WHATSAPP_REGIONS", "br"),
    ])
    func invalidSettingIsNamed(name: String, value: String) {
        #expect(faults(beside: name, value).first == name)
    }

    @Test func secretsRequireEncryptedTransport() {
        for url in ["http://127.0.0.1:8080", "http://localhost/x", "http://[::1]:1", "https://sms.example.com"] {
            #expect(faults(beside: "LATCHKEY_TWILIO_BASE_URL", url) == [])
        }
        for url in ["http://127.0.0.1.example.com", "http://localhost.example.com", "http://10.0.0.1"] {
            #expect(faults(beside: "LATCHKEY_TWILIO_BASE_URL", url) == ["LATCHKEY_TWILIO_BASE_URL"])
            #expect(faults(beside: "LATCHKEY_TWILIO_BASE_URL", url, isDev: true) == [])
        }
    }

    @Test func whatsAppRequiresSenderNumber() throws {
        #expect(faults(beside: "LATCHKEY_SMS_WHATSAPP_REGIONS", "BR,IN") == ["LATCHKEY_TWILIO_WHATSAPP_FROM"])
        let variables = Self.twilio.merging([
            "LATCHKEY_SMS_WHATSAPP_REGIONS": "BR, IN", "LATCHKEY_TWILIO_WHATSAPP_FROM": "+14155238886",
        ]) { $1 }
        #expect(try settings(variables).sms?.whatsApp?.regions == ["BR", "IN"])
    }

    @Test func errorMessageOmitsToken() {
        #expect(throws: SettingsError.self) {
            try settings(Self.twilio.merging(["LATCHKEY_TWILIO_BASE_URL": "http://u:hunter2@api.x"]) { $1 })
        }
        #expect {
            try settings(Self.twilio.merging(["LATCHKEY_TWILIO_BASE_URL": "http://u:hunter2@api.x"]) { $1 })
        } throws: { error in
            !((error as? SettingsError)?.messages ?? []).joined().contains("hunter2")
        }
    }

    @Test func smsIsRefusedWithoutSendingProcess() async throws {
        let fixture = try await NotifierFixture()
        let service = fixture.service(unconfiguredChannels: [.sms, .push])
        await #expect(throws: ServiceError.channelNotConfigured(.sms)) {
            try await fixture.send(sampleSMS(), of: service)
        }
        _ = try await fixture.send(sampleEmail(), of: service)
    }
}

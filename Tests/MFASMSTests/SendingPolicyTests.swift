import Contracts
import PhoneNumbers
import ServiceRuntime
import Settings
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// The settings of the send limits, and the number types that receive SMS.
@Suite struct SendingPolicyTests {
    @Test(arguments: [true, false]) func catalogueDefaultsMatchPolicyDefaults(isDev: Bool) throws {
        var defaults = SettingsCatalogue.defaults(of: .service(.mfaSMS), isDev: isDev)
        #expect(defaults.count > 10)
        #expect(try policy(isDev: isDev) == policy(defaults, isDev: isDev))
        #expect(
            try String(describing: AppVerificationFixture.settings([:], dev: isDev))
                == String(describing: AppVerificationFixture.settings(defaults, dev: isDev)))
        // The settings catalog describes the default price in words.
        defaults["LATCHKEY_SMS_PRICES"] = "default=0.05"
        #expect(try policy(isDev: isDev) == policy(defaults, isDev: isDev))
    }

    private func policy(_ settings: [String: String] = [:], isDev: Bool = false) throws -> SendingPolicy {
        var reader = SettingsReader(Environment(settings), of: .service(.mfaSMS))
        let policy = SendingPolicy(from: &reader, isDev: isDev)
        try reader.finish()
        return policy
    }

    @Test func defaultPolicyIsSafe() throws {
        #expect(try policy() == SendingPolicy())
        #expect(try policy(isDev: true) == .development)
        let policy = SendingPolicy()
        #expect(policy.resendDelays == [.seconds(30), .seconds(60), .seconds(120), .seconds(300)])
        #expect((policy.counts.perNumber, policy.counts.perAddress) == (5, 10))
        #expect((policy.budget.inHour, policy.budget.inDay) == (20_000_000, 100_000_000))
        #expect(policy.conversion.minimumPercent == 10)
    }

    @Test func everySettingIsRead() throws {
        let read = try policy([
            "LATCHKEY_SMS_RESEND_WAITS": "10s, 2m", "LATCHKEY_SMS_PER_NUMBER_PER_DAY": "7",
            "LATCHKEY_SMS_PER_ACCOUNT_PER_DAY": "0", "LATCHKEY_SMS_PER_ADDRESS_PER_HOUR": "8",
            "LATCHKEY_SMS_PER_PREFIX_PER_HOUR": "9", "LATCHKEY_SMS_PER_PREFIX_PER_DAY": "0",
            "LATCHKEY_SMS_PRICES": "default=0.1,DE=0.07, US=0.000001", "LATCHKEY_SMS_BUDGET_PER_HOUR": "2.5",
            "LATCHKEY_SMS_BUDGET_PER_DAY": "off", "LATCHKEY_SMS_CONVERSION_PERCENT": "0",
            "LATCHKEY_SMS_NUMBER_KINDS": "mobile, unknown",
        ])
        #expect(read.resendDelays == [.seconds(10), .seconds(120)])
        #expect((read.counts.perNumber, read.counts.perAccount, read.counts.perAddress) == (7, nil, 8))
        #expect((read.counts.perPrefixInHour, read.counts.perPrefixInDay) == (9, nil))
        #expect((read.budget.inHour, read.budget.inDay) == (2_500_000, nil))
        #expect(read.price(in: "DE") == 70_000 && read.price(in: "US") == 1)
        #expect(read.price(in: "FR") == 100_000 && read.price(in: nil) == 100_000)
        #expect(read.conversion.minimumPercent == 0 && read.numberTypes == [.mobile, .unknown])
        #expect(try policy(["LATCHKEY_SMS_RESEND_WAITS": "off"]).resendDelays.isEmpty)
    }

    @Test(arguments: [
        ("RESEND_WAITS", "soon"), ("RESEND_WAITS", "30s,,60s"), ("RESEND_WAITS", "2d"), ("PER_NUMBER_PER_DAY", "-1"),
        ("PRICES", "0.05"), ("PRICES", "DE=0,07"), ("PRICES", "de=0.07"), ("PRICES", "DE=1e3"), ("PRICES", "DE=-1"),
        ("PRICES", "DE=0.0000001"), ("BUDGET_PER_HOUR", "0"), ("BUDGET_PER_HOUR", "1000000.000001"),
        ("BUDGET_PER_DAY", "much"), ("BUDGET_PER_DAY", "1."), ("BUDGET_PER_DAY", ".5"), ("CONVERSION_PERCENT", "91"),
        ("NUMBER_KINDS", "mobile,carrier pigeon"),
    ])
    func invalidSettingIsRejected(name: String, value: String) {
        #expect(throws: SettingsError.self) { try policy(["LATCHKEY_SMS_" + name: value]) }
    }

    // MARK: Regions and number types

    private func configuration(disallowed: [String]? = nil, allowed: [String]? = nil) -> ProjectConfiguration {
        var regions = ProjectConfiguration.SMSRegions()
        if let disallowed {
            regions.allowByDefault = .init()
            regions.allowByDefault?.disallowedRegions = disallowed
        }
        if let allowed {
            regions.allowlistOnly = .init()
            regions.allowlistOnly?.allowedRegions = allowed
        }
        var configuration = ProjectConfiguration()
        configuration.smsRegionConfig = regions
        return configuration
    }

    /// Security rule SM7, with the numbers of `phone-numbers.json`.
    @Test(arguments: [
        ("+979123456789", false, false), ("+881612345678", false, false), ("+870773111632", false, false),
        ("+882161234567", false, false), ("+80012345678", false, false), ("+19005550100", false, false),
        ("+498001234567", false, true), ("+491801234567", false, false), ("+447012345678", false, true),
        ("+15005550006", false, true), ("+12425550100", false, true), ("+12025550156", true, true),
        ("+4915112345678", true, true), ("+442079460000", true, true), ("+16505550101", true, true),
    ])
    func unsupportedNumberTypesAreRefused(text: String, inProduction: Bool, inDev: Bool) throws {
        let number = try ParsedPhoneNumber(text)
        let refusal = regionRefusal(of: number, ProjectConfiguration(), SendingPolicy())
        #expect(refusal == (inProduction ? nil : .numberType), "\(number.kind)")
        let dev = regionRefusal(of: number, ProjectConfiguration(), .development)
        #expect(dev == (inDev ? nil : .numberType), "\(number.kind)")
    }

    @Test func regionListsOfProjectAreApplied() throws {
        let german = try ParsedPhoneNumber("+4915112345678")
        let policy = SendingPolicy()
        #expect(regionRefusal(of: german, configuration(), policy) == nil)
        #expect(regionRefusal(of: german, configuration(disallowed: ["FR"]), policy) == nil)
        #expect(regionRefusal(of: german, configuration(disallowed: ["FR", "DE"]), policy) == .region)
        #expect(regionRefusal(of: german, configuration(disallowed: []), policy) == nil)
        #expect(regionRefusal(of: german, configuration(allowed: ["DE"]), policy) == nil)
        #expect(regionRefusal(of: german, configuration(allowed: ["FR"]), policy) == .region)
        #expect(regionRefusal(of: german, configuration(allowed: []), policy) == .region)
        var empty = configuration()
        empty.smsRegionConfig?.allowlistOnly = .init()
        #expect(regionRefusal(of: german, empty, policy) == .region)
    }

    // MARK: Metrics

    @Test func refusalsAreCountedAndAlertsLoggedOnce() throws {
        let metrics = Metrics()
        let lines = Mutex<[String]>([])
        let lineSink: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
        let activity = ActivityCounts()
        let counters = SendingMetrics(
            metrics, activity: activity, policy: SendingPolicy(), log: Log(instance: "mfa-sms.1", write: lineSink))
        let send = try CountedSend.example()
        counters.countSent(send)
        counters.countVerified()
        counters.countRefunded()
        for _ in 0..<3 {
            for error in [
                ServiceError.limited(by: .smsPrefixConversion, until: .midnight),
                .limited(by: .smsProjectBudget, until: .midnight),
                .limited(by: .smsResendBackoff, until: .midnight), .limited(by: .smsPerNumber, until: .midnight),
                .limited(by: .smsCodeAttempts, until: .midnight),
            ] {
                counters.countRefused(send, for: error)
            }
            counters.countRefused(send, for: .region)
            counters.countRefused(send, for: .numberType)
        }
        counters.countRefused(send, for: .limited(by: .smsPrefixConversion, until: .midnight + 1))
        let values = Dictionary(
            uniqueKeysWithValues: metrics.snapshot().map {
                ("\($0.labels["result"] ?? "")/\($0.labels["reason"] ?? "")", $0.value)
            })
        #expect(
            values == [
                "sent/": 1, "verified/": 1, "refunded/": 1, "refused/region": 3, "refused/number_type": 3,
                "refused/resend_backoff": 3,
                "refused/limit": 3, "refused/budget": 3, "refused/conversion": 4, "/": 0.05,
            ])
        let counted = Dictionary(uniqueKeysWithValues: activity.take().map { ($0.counter, $0.amount) })
        #expect(
            counted == [
                "smsCode.sent": 1, "smsCode.refused": 19, "smsCostMicros": SendingPolicy().price(in: "DE"),
            ])
        let logged = lines.withLock { $0 }
        #expect(logged.count == 3)
        #expect(logged.count { $0.contains("sms.prefix-blocked") && $0.contains("region=DE") } == 2)
        #expect(logged.allSatisfy { !$0.contains("15112") })
        for index in 0..<1000 {
            counters.countRefused(send, for: .limited(by: .smsProjectBudget, until: .midnight + index * 3600))
        }
    }
}

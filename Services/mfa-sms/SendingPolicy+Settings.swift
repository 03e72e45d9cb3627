import PhoneNumbers
package import ServiceRuntime
import Vocabulary

extension SendingPolicy {
    /// Reads what the operator has said of sending.
    package init(from reader: inout SettingsReader, isDev: Bool) {
        self = isDev ? .development : SendingPolicy()
        waits = reader.value(
            "LATCHKEY_SMS_RESEND_WAITS", default: waits, standIn: [], expects: "spans of time, or off",
            example: "30s,60s,120s,300s", parse: Self.waits)
        func count(_ name: String, _ usual: Int?) -> Int? {
            let number = reader.integer("LATCHKEY_SMS_PER_" + name, default: usual ?? 0, in: 0...1_000_000_000)
            return number == 0 ? nil : number
        }
        counts.perNumber = count("NUMBER_PER_DAY", counts.perNumber)
        counts.perAccount = count("ACCOUNT_PER_DAY", counts.perAccount)
        counts.perAddress = count("ADDRESS_PER_HOUR", counts.perAddress)
        counts.perRangeInHour = count("PREFIX_PER_HOUR", counts.perRangeInHour)
        counts.perRangeInDay = count("PREFIX_PER_DAY", counts.perRangeInDay)
        func amount(_ name: String, _ usual: Int64?) -> Int64? {
            reader.value(
                "LATCHKEY_SMS_BUDGET_PER_" + name, default: .some(usual), standIn: nil,
                expects: "an amount of money with a point, or off", example: "20"
            ) { text in
                // Unlike elsewhere 0 is no word for "no limit": a budget of nothing would read like one.
                text == "off" ? .some(nil) : MessagePrices.micros(text).flatMap { $0 > 0 ? .some($0) : nil }
            }
        }
        budget.inHour = amount("HOUR", budget.inHour)
        budget.inDay = amount("DAY", budget.inDay)
        prices = reader.value(
            "LATCHKEY_SMS_PRICES", default: prices, standIn: prices,
            expects: "prices by region, default for the others", example: "default=0.05,DE=0.07,US=0.008",
            parse: MessagePrices.init)
        conversion.minimumPercent = reader.integer(
            "LATCHKEY_SMS_CONVERSION_PERCENT", default: conversion.minimumPercent, in: 0...90)
        numberKinds = reader.value(
            "LATCHKEY_SMS_NUMBER_KINDS", default: numberKinds, standIn: [],
            expects: "words out of \(DialledNumber.Kind.allCases.map(\.rawValue).joined(separator: ", "))",
            example: "mobile,fixedLineOrMobile", parse: Self.kinds)
    }

    private static func waits(_ text: String) -> [Duration]? {
        if text == "off" { return [] }
        let waits = words(of: text).map { Duration(setting: $0) }
        guard waits.count <= 20, waits.allSatisfy({ ($0 ?? .seconds(-1)) <= .seconds(86_400) }) else { return nil }
        return waits.contains(nil) ? nil : waits.compactMap(\.self)
    }

    private static func kinds(_ text: String) -> Set<DialledNumber.Kind>? {
        let kinds = words(of: text).map(DialledNumber.Kind.init(rawValue:))
        return kinds.contains(nil) ? nil : Set(kinds.compactMap(\.self))
    }

    private static func words(of text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
    }

    package static let help = [
        Program.Setting(
            "LATCHKEY_SMS_RESEND_WAITS", "before the next message to a number without a code that came back, or off"),
        Program.Setting("", "(30s,60s,120s,300s; dev: off)"),
        Program.Setting(
            "LATCHKEY_SMS_PER_NUMBER_PER_DAY", "messages to a number whose codes do not come back; 0: no limit"),
        Program.Setting("", "(5, and four times as many in all; dev: 100)"),
        Program.Setting("LATCHKEY_SMS_PER_ACCOUNT_PER_DAY", "messages for an account; 0: no limit (20; dev: 100)"),
        Program.Setting(
            "LATCHKEY_SMS_PER_ADDRESS_PER_HOUR", "messages from a client address; 0: no limit (10; dev: not loopback)"),
        Program.Setting(
            "LATCHKEY_SMS_PER_PREFIX_PER_HOUR", "messages to numbers with the same 7 digits; 0: no limit (100; dev: 0)"),
        Program.Setting("LATCHKEY_SMS_PER_PREFIX_PER_DAY", "the same in a day (500; dev: 0)"),
        Program.Setting(
            "LATCHKEY_SMS_PRICES", "of a message by region, in your currency (default=0.05), as in default=0.05,DE=0.07"
        ),
        Program.Setting("LATCHKEY_SMS_BUDGET_PER_HOUR", "what a project may spend, or off (20; dev: off)"),
        Program.Setting("LATCHKEY_SMS_BUDGET_PER_DAY", "the same in a day (100; dev: off)"),
        Program.Setting(
            "LATCHKEY_SMS_CONVERSION_PERCENT", "codes that must come back from a prefix; 0: close none (10; dev: 0)"),
        Program.Setting(
            "LATCHKEY_SMS_NUMBER_KINDS", "what gets messages (mobile,fixedLineOrMobile,fixedLine,voip; dev: nearly all)"
        ),
    ]
}

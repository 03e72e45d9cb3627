import PhoneNumbers
package import ServiceRuntime
import Settings
import Vocabulary

extension SendingPolicy {
    /// Reads the settings of sending.
    package init(from reader: inout SettingsReader, isDev: Bool) {
        self = isDev ? .development : SendingPolicy()
        resendDelays = reader.value(
            .smsResendWaits, default: resendDelays, placeholder: [], expects: "spans of time, or off",
            example: "30s,60s,120s,300s", parse: Self.resendDelays)
        func count(_ setting: Setting, _ usual: Int?) -> Int? {
            let number = reader.integer(setting, default: usual ?? 0)
            return number == 0 ? nil : number
        }
        counts.perNumber = count(.smsPerNumberPerDay, counts.perNumber)
        counts.perAccount = count(.smsPerAccountPerDay, counts.perAccount)
        counts.perAddress = count(.smsPerAddressPerHour, counts.perAddress)
        counts.perPrefixInHour = count(.smsPerPrefixPerHour, counts.perPrefixInHour)
        counts.perPrefixInDay = count(.smsPerPrefixPerDay, counts.perPrefixInDay)
        func amount(_ setting: Setting, _ usual: Int64?) -> Int64? {
            reader.value(
                setting, default: .some(usual), placeholder: nil,
                expects: "an amount of money with a point, or off", example: "20"
            ) { text in
                // Unlike elsewhere 0 does not mean "no limit", because it looks like an empty budget.
                text == "off" ? .some(nil) : MessagePrices.micros(text).flatMap { $0 > 0 ? .some($0) : nil }
            }
        }
        budget.inHour = amount(.smsBudgetPerHour, budget.inHour)
        budget.inDay = amount(.smsBudgetPerDay, budget.inDay)
        prices = reader.value(
            .smsPrices, default: prices, placeholder: prices,
            expects: "prices by region, default for the others", example: "default=0.05,DE=0.07,US=0.008",
            parse: MessagePrices.init)
        conversion.minimumPercent = reader.integer(.smsConversionPercent, default: conversion.minimumPercent)
        numberTypes = reader.value(
            .smsNumberKinds, default: numberTypes, placeholder: [],
            expects: "words out of \(ParsedPhoneNumber.NumberType.allCases.map(\.rawValue).joined(separator: ", "))",
            example: "mobile,fixedLineOrMobile", parse: Self.kinds)
    }

    private static func resendDelays(_ text: String) -> [Duration]? {
        if text == "off" { return [] }
        let resendDelays = words(of: text).map { Duration(setting: $0) }
        guard resendDelays.count <= 20, resendDelays.allSatisfy({ ($0 ?? .seconds(-1)) <= .seconds(86_400) }) else {
            return nil
        }
        return resendDelays.contains(nil) ? nil : resendDelays.compactMap(\.self)
    }

    private static func kinds(_ text: String) -> Set<ParsedPhoneNumber.NumberType>? {
        let kinds = words(of: text).map(ParsedPhoneNumber.NumberType.init(rawValue:))
        return kinds.contains(nil) ? nil : Set(kinds.compactMap(\.self))
    }

    private static func words(of text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
    }
}

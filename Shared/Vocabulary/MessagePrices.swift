/// The price of a message by region, in the settings of the operator (`LATCHKEY_SMS_PRICES`). Amounts are millionths of
/// one currency.
package struct MessagePrices: Equatable, Sendable {
    /// By region (ISO 3166-1 alpha-2).
    package var byRegion: [String: Int64]
    /// For regions without a separate price; nil: unknown.
    package var defaultPrice: Int64?

    package init(byRegion: [String: Int64] = [:], defaultPrice: Int64? = nil) {
        self.byRegion = byRegion
        self.defaultPrice = defaultPrice
    }

    /// Parses `default=0.05,DE=0.07,US=0.008`.
    /// - Returns: nil for any other text.
    package init?(_ text: String) {
        self.init()
        for word in text.pieces(at: ",") {
            let (region, amount) = word.filter { $0 != " " }.halves(at: "=")
            guard let price = amount.flatMap({ Self.micros(String($0)) }) else { return nil }
            if region == "default" {
                defaultPrice = price
            } else {
                guard Self.isRegion(region) else { return nil }
                byRegion[String(region)] = price
            }
        }
    }

    package func price(in region: String?) -> Int64? { region.flatMap { byRegion[$0] } ?? defaultPrice }

    package static func isRegion(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// Parses `12`, `0.05`: at most a million, with at most six digits after the point.
    package static func micros(_ text: String) -> Int64? {
        let (wholeText, behind) = text.halves(at: ".")
        let fraction = behind ?? "0"
        guard wholeText.isASCIIDigits, wholeText.utf8.count <= 7, let whole = Int64(wholeText),
            fraction.isASCIIDigits, fraction.utf8.count <= 6,
            let rest = Int64(fraction + String(repeating: "0", count: 6 - fraction.utf8.count))
        else { return nil }
        let micros = whole.multipliedSaturated(by: 1_000_000).addingSaturated(rest)
        return micros <= 1_000_000_000_000 ? micros : nil
    }
}

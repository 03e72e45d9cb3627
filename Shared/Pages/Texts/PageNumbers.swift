package import Vocabulary

extension Language {
    private var groupSeparator: String {
        switch self {
        case .english, .japanese, .korean, .thai, .arabic: ","
        case .german, .spanish: "."
        case .french: "\u{202F}"
        }
    }

    private var decimalSeparator: String {
        switch self {
        case .english, .japanese, .korean, .thai, .arabic: "."
        case .german, .spanish, .french: ","
        }
    }

    /// A whole number as readers of the language write it: `48,210`.
    package func number(_ value: Int64) -> String {
        let digits = Array(String(value.magnitude))
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text += groupSeparator }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + text
    }

    /// An amount of money in millionths of a currency: `1,240.50`. One below 1 has up to four digits, such as `0.008`.
    package func amount(micros: Int64) -> String {
        guard micros >= 0 else { return "-" + amount(micros: Int64(clamping: micros.magnitude)) }
        let isSmall = micros < 1_000_000
        let unit: Int64 = isSmall ? 100 : 10_000
        let rounded = micros.addingSaturated(unit / 2) / unit
        let scale: Int64 = isSmall ? 10_000 : 100
        var decimals = String(rounded % scale)
        decimals = String(repeating: "0", count: max(0, (isSmall ? 4 : 2) - decimals.utf8.count)) + decimals
        while decimals.utf8.count > 2, decimals.hasSuffix("0") { decimals.removeLast() }
        return number(rounded / scale) + decimalSeparator + decimals
    }
}
